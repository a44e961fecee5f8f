#include "core/json_cursor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace bindgate {
namespace {

using ::testing::ElementsAre;

/// The fault that `read` meets in `text`; "" when there is none.
std::string fault_in(
    std::string_view text, const std::function<void(const JsonCursor&)>& read = [](const auto&) {}) {
  JsonDocument document(text, "f.json");
  read(document.root());
  const auto result = document.finish(0);
  return result ? "" : result.error().message;
}

constexpr std::string_view names[] = {"pass", "failed"};

TEST(JsonCursor, ReadsEveryKindOfValue) {
  JsonDocument document(
      R"({"s": "x", "b": true, "n": 1.5, "i": -3, "l": [1, 2], "t": ["a"], "m": {"k": "v"}, "o": "failed"})", "f");
  const JsonCursor root = document.root();
  EXPECT_EQ(root["s"].string(), "x");
  EXPECT_TRUE(root["b"].boolean());
  EXPECT_EQ(root["n"].number(), 1.5);
  EXPECT_EQ(root["i"].integer(-5, 5), -3);
  EXPECT_THAT(root["l"].integers(), ElementsAre(1, 2));
  EXPECT_THAT(root["t"].strings(), ElementsAre("a"));
  EXPECT_EQ(root["m"].string_map().at("k"), "v");
  EXPECT_EQ(root["o"].one_of(names), 1u);
  EXPECT_EQ(root["m"].dump(), R"({"k":"v"})");
  EXPECT_TRUE(root["s"].is_string());
  EXPECT_TRUE(root["m"].is_object());
  EXPECT_FALSE(root["l"].is_object());
  EXPECT_TRUE(document.good());
}

TEST(JsonCursor, FindsAbsentAndNullAsNothing) {
  JsonDocument document(R"({"null": null, "there": 1})", "f");
  EXPECT_FALSE(document.root().find("null"));
  EXPECT_FALSE(document.root().find("absent"));
  EXPECT_TRUE(document.root().find("there"));
  EXPECT_TRUE(document.good());
}

TEST(JsonCursor, NamesTheMissingKey) {
  EXPECT_EQ(fault_in(R"({"a": {}})", [](const auto& root) { (void)root["a"]["b"].string(); }),
            "f.json: $.a: key \"b\" is missing");
}

TEST(JsonCursor, NamesTheWrongTypeAndWhatItFound) {
  const auto in_a = [](auto read) { return [read](const JsonCursor& root) { read(root["a"]); }; };
  EXPECT_EQ(fault_in(R"({"a": 1})", in_a([](const auto& a) { (void)a.string(); })),
            "f.json: $.a: expected a string, found 1");
  EXPECT_EQ(fault_in(R"({"a": 1})", in_a([](const auto& a) { (void)a.boolean(); })),
            "f.json: $.a: expected true or false, found 1");
  EXPECT_EQ(fault_in(R"({"a": "1"})", in_a([](const auto& a) { (void)a.number(); })),
            "f.json: $.a: expected a number, found \"1\"");
  EXPECT_EQ(fault_in(R"({"a": 1.5})", in_a([](const auto& a) { (void)a.integer(); })),
            "f.json: $.a: expected a whole number, found 1.5");
  EXPECT_EQ(fault_in(R"({"a": {}})", in_a([](const auto& a) { (void)a.items(); })),
            "f.json: $.a: expected an array, found {}");
  EXPECT_EQ(fault_in(R"({"a": []})", in_a([](const auto& a) { (void)a.members(); })),
            "f.json: $.a: expected an object, found []");
  EXPECT_EQ(fault_in(R"({"a": []})", in_a([](const auto& a) { (void)a["b"]; })),
            "f.json: $.a: expected an object, found []");
  EXPECT_EQ(fault_in(R"({"a": []})", in_a([](const auto& a) { (void)a.find("b"); })),
            "f.json: $.a: expected an object, found []");
  EXPECT_EQ(fault_in(R"({"a": 7})", in_a([](const auto& a) { (void)a.integers(); })),
            "f.json: $.a: expected an array of whole numbers, found 7");
}

TEST(JsonCursor, NamesThePlaceInAnArray) {
  EXPECT_EQ(fault_in(R"({"a": [1, 2, "x"]})", [](const auto& root) { (void)root["a"].integers(); }),
            "f.json: $.a[2]: expected a whole number, found \"x\"");
  EXPECT_EQ(fault_in(R"({"a": ["x", 2]})", [](const auto& root) { (void)root["a"].strings(); }),
            "f.json: $.a[1]: expected a string, found 2");
  EXPECT_EQ(fault_in(R"([{"k": 3}])", [](const auto& root) { (void)root.items()[0].string_map(); }),
            "f.json: $[0].k: expected a string, found 3");
}

TEST(JsonCursor, HoldsNumbersToTheirRange) {
  const auto share = [](const JsonCursor& root) { (void)root["a"].number(0, 1); };
  EXPECT_EQ(fault_in(R"({"a": 1})", share), "");
  EXPECT_EQ(fault_in(R"({"a": 1.5})", share), "f.json: $.a: expected a number from 0.0 to 1.0, found 1.5");
  EXPECT_EQ(fault_in(R"({"a": -1})", [](const auto& root) { (void)root["a"].number(0); }),
            "f.json: $.a: expected a number of at least 0.0, found -1");
  EXPECT_EQ(fault_in(R"({"a": -1})", [](const auto& root) { (void)root["a"].integer(); }),
            "f.json: $.a: expected a whole number of at least 0 that fits 63 bits, found -1");
  EXPECT_EQ(fault_in(R"({"a": 9})", [](const auto& root) { (void)root["a"].integer(1, 8); }),
            "f.json: $.a: expected a whole number from 1 to 8, found 9");
  EXPECT_EQ(fault_in(R"({"a": [0, -1]})", [](const auto& root) { (void)root["a"].integers(); }),
            "f.json: $.a[1]: expected a whole number of at least 0 that fits 63 bits, found -1");
  EXPECT_EQ(fault_in(R"({"a": [5, 11]})", [](const auto& root) { (void)root["a"].integers(0, 10); }),
            "f.json: $.a[1]: expected a whole number from 0 to 10, found 11");
}

TEST(JsonCursor, RefusesHugeNumbers) {
  const auto whole = [](const JsonCursor& root) { (void)root["a"].integer(); };
  EXPECT_EQ(fault_in(R"({"a": 9223372036854775807})", whole), "");
  EXPECT_EQ(fault_in(R"({"a": 9223372036854775808})", whole),
            "f.json: $.a: expected a whole number of at least 0 that fits 63 bits, found 9223372036854775808");
  EXPECT_EQ(fault_in(R"({"a": 18446744073709551616})", whole),
            "f.json: $.a: expected a whole number, found 1.8446744073709552e+19");
  EXPECT_EQ(fault_in(R"({"a": 9223372036854775808})", [](const auto& root) { (void)root["a"].integer(0, 7); }),
            "f.json: $.a: expected a whole number from 0 to 7, found 9223372036854775808");
  EXPECT_EQ(fault_in(R"({"a": 1e999})"), "f.json: holds a number too large for a double; numbers must be finite");
}

TEST(JsonCursor, SuggestsTheNearestKnownWord) {
  EXPECT_EQ(fault_in(R"({"a": "passed"})", [](const auto& root) { (void)root["a"].one_of(names); }),
            "f.json: $.a: unknown value \"passed\"; did you mean 'pass'?");
  EXPECT_EQ(fault_in(R"({"a": 4})", [](const auto& root) { (void)root["a"].one_of(names); }),
            "f.json: $.a: expected one of pass, failed, found 4");
  EXPECT_EQ(fault_in(R"({"tolerence": 1})",
                     [](const auto& root) {
                       root.only({"tolerance", "target"});
                     }),
            "f.json: $: unknown key \"tolerence\"; did you mean 'tolerance'?");
}

TEST(JsonCursor, KeepsTheFirstFaultAndReadsOnHarmlessly) {
  EXPECT_EQ(fault_in(R"({"a": 1})",
                     [](const JsonCursor& root) {
                       EXPECT_EQ(root["missing"]["deeper"].items().size(), 0u);
                       EXPECT_EQ(root["a"].string(), "");
                       EXPECT_EQ(root["a"]["b"].integer(3, 9), 3);
                       EXPECT_EQ(root["a"]["b"].number(3, 9), 3);
                     }),
            "f.json: $: key \"missing\" is missing");
}

TEST(JsonCursor, ReportsStrangeKeysAndLongValuesOnOneShortLine) {
  const std::string fault =
      fault_in(R"({"a\nb": {"c": 1}})", [](const auto& root) { (void)root["a\nb"]["c"].string(); });
  EXPECT_EQ(fault, R"(f.json: $["a\nb"].c: expected a string, found 1)");
  EXPECT_EQ(fault_in(R"({"x\ny": 1})", [](const auto& root) { root.only({"k"}); }),
            R"(f.json: $: unknown key "x\ny"; known: k)");
  const std::string long_value = "{\"a\": \"" + std::string(5000, 'x') + "\"}";
  EXPECT_LT(fault_in(long_value, [](const auto& root) { (void)root["a"].number(); }).size(), 120u);
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
  EXPECT_EQ(fault_in(std::string("{}\0{", 4)),
            "f.json: is not JSON (column 3): found a NUL byte; is it the right file?");
  EXPECT_EQ(fault_in(""), "f.json: is empty; expected JSON");
  EXPECT_EQ(fault_in(" \n "), "f.json: is empty; expected JSON");
  const std::string value = "expected a value (a \"string\", a number, true, false, null, [ or {), found ";
  for (const char* text : {"{\"a\": NaN}", "{\"a\": Infinity}"})
    EXPECT_EQ(fault_in(text), "f.json: is not JSON (column 7): " + value + "invalid literal");
  EXPECT_EQ(fault_in("\x7f"
                     "ELF\x02\x01"),
            "f.json: is not JSON (column 1): " + value + "invalid literal");
  EXPECT_EQ(fault_in("\"\xff\""),
            "f.json: is not JSON (column 2): " + value + "invalid string: ill-formed UTF-8 byte");
}

TEST(JsonDocument, NamesLineAndColumnAndWhatMayStandThere) {
  const auto is_refused = [](std::string_view text, const std::string& place, const std::string& words) {
    EXPECT_EQ(fault_in(text), "f.json: is not JSON (" + place + "): " + words) << text;
  };
  const std::string value = "expected a value (a \"string\", a number, true, false, null, [ or {), found ";
  is_refused("{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 5", "expected a comma or }, found string literal");
  is_refused("{\n  \"a\": [1, 2\n}\n", "line 3, column 1", "expected a comma or ], found '}'");
  is_refused("{\n  \"a\": 1,\n}\n", "line 3, column 1", "expected a \"key\", found '}'");
  is_refused("[1,\n 2,\n]", "line 3, column 1", value + "']'");
  is_refused("{'a': 1}\n", "line 1, column 2", "expected a \"key\", found invalid literal");
  is_refused("{\"a\" 1}\n", "line 1, column 6", "expected a colon, found number literal");
  is_refused("{\"\xc3\xa4\": 1 2}", "column 9", "expected a comma or }, found number literal");
  is_refused("{\"a\": 1", "column 8", "expected a comma or }, found end of input");
  is_refused("{\"a\": 1\n", "line 2, column 1", "expected a comma or }, found end of input");
  is_refused("{} x", "column 4", "expected the end, found invalid literal");
  is_refused("[\"a\n\"]", "line 1, column 4",
             value + "invalid string: control character U+000A (LF) must be escaped to \\u000A or \\n");
  is_refused("[-]", "column 3", value + "invalid number");
  is_refused("[\"x - y; expected ", "column 19", value + "invalid string: missing closing quote");
}

TEST(JsonDocument, RefusesDuplicateKeysAtAnyDepth) {
  EXPECT_EQ(fault_in(R"({"a": 1, "a": 2})"), "f.json: key \"a\" stands twice in one object; keep one");
  EXPECT_EQ(fault_in(R"([{"b": {"c": 1, "c": 1}}])"), "f.json: key \"c\" stands twice in one object; keep one");
  EXPECT_EQ(fault_in(R"([{"a": 1}, {"a": 2}])"), "");
}

TEST(JsonDocument, RefusesNestingThatWouldExhaustTheStack) {
  const std::string line = "f.json: is nested deeper than 100 levels; is it the right file?";
  EXPECT_EQ(fault_in(std::string(100'000, '[')), line);
  EXPECT_EQ(fault_in(std::string(100'000, '[') + std::string(100'000, ']')), line);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(fault_in(objects), line);
  EXPECT_EQ(fault_in(std::string(100, '[') + std::string(100, ']')), "");
  EXPECT_EQ(fault_in(std::string(101, '[') + std::string(101, ']')), line);
}

}  // namespace
}  // namespace bindgate
