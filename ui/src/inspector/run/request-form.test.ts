// An argument is edited as the type of its actual value, even if the tool's schema declares another type.
import { expect, test } from "vitest";
import { widgetFor } from "./RequestForm";

test("texts are no templates here, and nothing that is no text is shown as one", () => {
  expect(widgetFor({ widget: "template" }, "a {{ b }}")).toBe("text");
  expect(widgetFor({ widget: "template" }, "a\nb")).toBe("textarea");
  expect(widgetFor({ widget: "template" }, { a: 1 })).toBe("json");
  expect(widgetFor({ widget: "text" }, [1])).toBe("json");
});

test("a value of the schema's type has the schema's widget, any other its own", () => {
  expect(widgetFor({ widget: "segmented" }, "GET")).toBe("segmented");
  expect(widgetFor({ widget: "integer" }, 30)).toBe("integer");
  expect(widgetFor({ widget: "integer" }, "30")).toBe("text");
  expect(widgetFor({ widget: "json" }, 30)).toBe("number");
  expect(widgetFor({ widget: "json" }, true)).toBe("switch");
});
