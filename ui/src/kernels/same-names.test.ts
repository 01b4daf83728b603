// Files of the same name are distinguished by as few folders as possible.
import { expect, test } from "vitest";
import { foldersApart } from "./same-names";

test("a file whose name no other has needs no folder", () => {
  expect(foldersApart(["/a/x.json", "/a/y.json", null])).toEqual([null, null, null]);
  expect(foldersApart(["/a/x.json", "/a/x.json"])).toEqual([null, null]);
});

test("the nearest folder tells two apart, or those above it where it is the same", () => {
  expect(foldersApart(["/flows/a/x.json", "/flows/b/x.json"])).toEqual(["a", "b"]);
  expect(foldersApart(["/one/flows/x.json", "/two/flows/x.json", "/y.json"])).toEqual([
    "one/flows",
    "two/flows",
    null,
  ]);
  expect(foldersApart(["C:\\a\\x.json", "C:\\b\\x.json"])).toEqual(["a", "b"]);
  expect(foldersApart(["/x.json", "/b/x.json"])).toEqual(["/", "b"]);
});
