// Folder paths in the form in which a flow stores them.
// @vitest-environment node
import { expect, test } from "vitest";
import { folderOfFile, fromBase, isAbsolute, seenFrom } from "./folder-paths";

test.each([
  ["/home/me/project", "/home/me/project", "."],
  ["/home/me/project", "/home/me/project/", "."],
  ["/home/me/project/", "/home/me/project/a/b", "a/b"],
  ["/home/me/flows/../project", "/home/me/project/a", "a"],
  ["/home/me/project/./", "/home/me/project/a", "a"],
  ["/home/me/project", "/home/me/project2", "/home/me/project2"],
  ["/home/me/project", "/home/me", "/home/me"],
  ["/home/me/project", "/home/me/Project/a", "/home/me/Project/a"],
  ["/", "/srv", "srv"],
  ["/a", "/a/b\\c", "b\\c"],
  ["C:\\Users\\me", "c:\\users\\me\\a\\b", "a/b"],
  ["C:\\Users\\me", "D:\\Users\\me\\a", "D:\\Users\\me\\a"],
  ["\\\\server\\share", "\\\\server\\share\\a", "a"],
  [null, "/home/me", "/home/me"],
])("from %s, %s is %s", (base, path, seen) => {
  expect(seenFrom(base, path)).toBe(seen);
});

test("a folder is named from a base, unless its path is absolute", () => {
  expect(fromBase("/home/me", "project")).toBe("/home/me/project");
  expect(fromBase("/home/me", "/srv/project")).toBe("/srv/project");
  expect(fromBase(null, "/srv/project")).toBe("/srv/project");
  expect(fromBase(null, "project")).toBeNull();
});

test("the folder of a file", () => {
  expect(folderOfFile("/home/me/a.json")).toBe("/home/me");
  expect(folderOfFile("/a.json")).toBe("/");
  expect(folderOfFile("C:\\flows\\a.json")).toBe("C:\\flows");
  expect(folderOfFile("a.json")).toBeNull();
  expect(["/a", "C:\\a", "c:/a", "\\\\server\\a"].every(isAbsolute)).toBe(true);
  expect(["a", "./a", "C:a", ""].some(isAbsolute)).toBe(false);
});
