// What must be true of every expression on every machine, over trees of them.

#include <gtest/gtest.h>

#include <optional>

#include "binding/expression.hpp"
#include "binding/random_machines.hpp"

namespace bindgate {
namespace {

using tests::Random;
using tests::RandomMachines;
using tests::usable_cpus_of;
using tests::words_for;

// A tree of at most `depth` levels, as text.
std::string random_expression(Random& random, unsigned depth) {
  static const std::vector<std::string> atoms{"allowed",  "online",      "node:0",  "node:1",   "package:0", "l3:0",
                                              "isolated", "kind:performance", "cpus:0", "node:any", "device:01:00.0"};
  static const std::vector<std::string> functions{"cores", "packed", "siblings", "even", "near", "far"};
  const auto one_of = [&random](const std::vector<std::string>& words) {
    return words[random.draw(0, static_cast<unsigned>(words.size()) - 1)];
  };
  if (depth == 0 || random.chance(4)) return one_of(atoms);
  if (random.chance(2)) return one_of(functions) + '(' + random_expression(random, depth - 1) + ')';
  return '(' + random_expression(random, depth - 1) + ") " + one_of({"&", "|", "-"}) + " (" +
         random_expression(random, depth - 1) + ')';
}

TEST(RandomExpressions, KeepTheLawsOfSetsAndStayInsideWhatIsAllowed) {
  RandomMachines machines;
  unsigned evaluated = 0;
  for (unsigned i = 0; i < 2'000; ++i) {
    const Machine machine = machines.next();
    const Ground ground(machine);
    const auto choices = ground.choices(AnyOf::node);
    const Choice* chosen = choices ? &choices->front() : nullptr;
    const auto value = [&](const std::string& text) -> std::optional<IndexSet> {
      const auto expression = Expression::parse(text);
      EXPECT_TRUE(expression) << text << ": " << expression.error().message;
      if (!expression) return std::nullopt;
      const auto set = expression->evaluate(ground, chosen);
      return set ? std::optional(*set) : std::nullopt;
    };
    const std::string a = random_expression(machines.random(), 3), b = random_expression(machines.random(), 3);
    const auto left = value(a), right = value(b);
    if (!left || !right) continue;
    SCOPED_TRACE(words_for(machine, i) + ", " + a + ", " + b);
    ++evaluated;
    EXPECT_TRUE(usable_cpus_of(machine).contains(*left));
    EXPECT_EQ(value('(' + a + ") & (" + b + ')'), *left & *right);
    EXPECT_EQ(value('(' + a + ") | (" + b + ')'), *left | *right);
    EXPECT_EQ(value('(' + a + ") - (" + b + ')'), *left - *right);
    const IndexSet cores = *value("cores(" + a + ')'), siblings = *value("siblings(" + a + ')');
    EXPECT_EQ(cores | siblings, *left);
    EXPECT_TRUE((cores & siblings).empty());
    EXPECT_EQ(value("cores(cores(" + a + "))"), cores);
    EXPECT_EQ(value("packed(" + a + ')')->size(), cores.size());
    EXPECT_TRUE(left->contains(*value("packed(" + a + ')')));
    EXPECT_TRUE(left->contains(*value("even(" + a + ')')));
    const auto far = value("far(" + a + ')');
    EXPECT_TRUE(!far || far != value("near(" + a + ')'));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(evaluated, 300u);
}

}  // namespace
}  // namespace bindgate
