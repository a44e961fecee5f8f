#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>

#include "binding/catalogue.hpp"
#include "cli/arguments.hpp"
#include "core/names.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"

namespace bindgate {
namespace {

constexpr const char* description =
    "Measures LibTorch workloads under CPU and NUMA bindings, proves that each binding was in force,\n"
    "and gives CI a verdict it can trust.\n";

constexpr const char* first_steps =
    "A first session:\n"
    "  bindgate variants                      which bindings this machine has, and which are the same\n"
    "  bindgate run --out runs/a              measure the quick profile under all of them\n"
    "  bindgate show runs/a                   which binding is fastest for each case, how sure\n"
    "  bindgate accept runs/a                 keep it as this machine's baseline\n"
    "  bindgate run --variant none --out runs/b && bindgate gate runs/b\n"
    "                                         tomorrow: did something regress?\n"
    "\n"
    "Exit status: 0 good, 1 regressed, 2 usage or unreadable input, 3 unstable, 4 no trustworthy answer,\n"
    "128 + signal when interrupted.\n"
    "'bindgate COMMAND --help' shows each command's options and an example.";

void add_common(CLI::App& command, CommandLine& line) {
  command.add_flag("--json", line.json, "Print one JSON document on stdout, for scripts");
  command.add_flag("--quiet", line.quiet, "No progress and no hints: results and errors only");
}

// CLI11 reads 010 as eight, as C does, and nobody who types a number means that.
std::string fault_of_decimal(const std::string& word) {
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  return digits && (word.size() == 1 || word.front() != '0')
             ? ""
             : "must be a whole number without a sign or leading zeros, as 6; found '" + word + '\'';
}

// Options that take names are repeated, never split at commas: 'cpus:0,2' is one name.
CLI::Option* add_names(CLI::App& command, const std::string& name, std::vector<std::string>& names,
                       const std::string& help) {
  return command.add_option(name, names, help)->expected(1)->take_all()->type_name("");
}

void add_source(CLI::App& command, std::string& source) {
  command
      .add_option("--from", source,
                  "live, an hwloc XML file, a sysfs root directory, what topology --json printed, or "
                  "synthetic:DESCRIPTION")
      ->type_name("SOURCE")
      ->capture_default_str();
}

void add_baselines(CLI::App& command, std::filesystem::path& baselines) {
  command.add_option("--baselines", baselines, "Where baselines live")->type_name("DIR")->capture_default_str();
}

CLI::Option* add_profile(CLI::App& command, std::optional<Profile>& profile, const std::string& help) {
  return command
      .add_option_function<std::string>(
          "--profile",
          [&profile](const std::string& name) {
            static const std::vector<std::string> names{"quick", "nightly", "thorough"};
            const auto found = std::find(names.begin(), names.end(), name);
            if (found == names.end())
              throw CLI::ValidationError("--profile", "unknown profile '" + name + "'" + suggest(name, names));
            profile = static_cast<Profile>(found - names.begin());
          },
          help)
      ->type_name("NAME");
}

CLI::Option* add_deadline(CLI::App& command, std::optional<std::chrono::nanoseconds>& deadline,
                          const std::string& help) {
  return command
      .add_option_function<std::string>(
          "--deadline",
          [&deadline](const std::string& text) {
            const auto duration = parse_duration(text);
            if (!duration) throw CLI::ValidationError("--deadline", duration.error().message);
            deadline = *duration;
          },
          help)
      ->type_name("TIME");
}

CLI::App* add_command(CLI::App& app, CommandLine& line, const std::string& name, const std::string& help,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, help);
  command->footer("Example:\n" + example);
  command->fallthrough(false);
  add_common(*command, line);
  return command;
}

void add_list(CLI::App& app, CommandLine& line, ListArguments& list) {
  CLI::App* command = add_command(app, line, "list", "The cases that can be measured, with their work per iteration",
                                  "  bindgate list 'matmul/bf16/*'\n"
                                  "  bindgate list --profile nightly");
  CLI::Option* globs = command->add_option("GLOB", list.globs, "Only cases that match");
  CLI::Option* profile =
      add_profile(*command, list.profile,
                  "What quick, nightly or thorough holds on this machine and how long it takes; without a stored "
                  "list every case is set up once, which may take minutes");
  profile->excludes(globs);
  add_deadline(*command, list.deadline, "As of run: how long a start or a set-up may take; with --profile")
      ->needs(profile);
  command
      ->add_option("--baselines", list.baselines,
                   "Where baselines live, and with them the nightly list; with --profile")
      ->type_name("DIR")
      ->capture_default_str()
      ->needs(profile);
}

std::string meanings_of_variants() {
  const std::vector<VariantHelp> variants = Catalogue().help();
  std::size_t width = 0;
  for (const VariantHelp& variant : variants) width = std::max(width, variant.name.size());
  std::string text = "Variants:";
  for (const VariantHelp& variant : variants)
    text += "\n  " + variant.name + std::string(width - variant.name.size() + 2, ' ') + variant.meaning;
  return text;
}

CLI::Option* add_variants_file(CLI::App& command, std::filesystem::path& file) {
  return command.add_option("--variants-file", file, "Your own variants, as harness/binding/README.md shows")
      ->type_name("FILE");
}

void add_variant_options(CLI::App& command, std::filesystem::path& file, bool& allow_degraded) {
  add_variants_file(command, file);
  command.add_flag("--allow-degraded", allow_degraded,
                   "Where the kernel refuses a memory policy, plan the CPUs alone, as NAME-degraded");
}

void add_variants(CLI::App& app, CommandLine& line, VariantsArguments& variants) {
  CLI::App* command =
      add_command(app, line, "variants", "What each variant means here, and the equal taskset/numactl line",
                  "  bindgate variants numactl remote\n"
                  "  bindgate variants --from 'synthetic:package:2 numa:1 core:4 pu:2'\n"
                  "  bindgate variants --variants-file my-variants.json\n\n" +
                      meanings_of_variants());
  command->add_option("NAME", variants.names, "Only these variants");
  add_source(*command, variants.source);
  add_variant_options(*command, variants.variants_file, variants.allow_degraded);
}

void add_run(CLI::App& app, CommandLine& line, RunArguments& run) {
  CLI::App* command =
      add_command(app, line, "run", "Measure cases under variants, in turns, and prove the bindings",
                  "  bindgate run --case 'matmul/*' --variant none --variant numactl --rounds 8 --out runs/tuesday\n"
                  "  bindgate run --profile nightly --budget 50m\n"
                  "  bindgate run --resume runs/tuesday");
  add_names(*command, "--case", run.cases, "Measure the cases that match GLOB ('*' matches '/' too); repeatable")
      ->type_name("GLOB");
  add_names(*command, "--variant", run.variants,
            "Measure under this variant, and none, the base (default: the profile's); repeatable")
      ->type_name("NAME");
  add_variant_options(*command, run.variants_file, run.allow_degraded);
  add_profile(*command, run.profile,
              "Cases and effort: quick (default), nightly (what an hour holds here), thorough (everything)");
  command->add_option("--rounds", run.rounds, "Fresh launches of everything, this many times (default: the profile's)")
      ->check(fault_of_decimal)
      ->check(CLI::Range(1u, 1000u))
      ->type_name("N");
  command
      ->add_option_function<std::string>(
          "--budget",
          [&run](const std::string& text) {
            auto budget = parse_duration(text);
            if (!budget) throw CLI::ValidationError("--budget", budget.error().message);
            run.budget = *budget;
          },
          "Start no round that would not end within TIME, as 50m or 1.5h")
      ->type_name("TIME");
  add_deadline(*command, run.deadline,
               "A launch fails when its start, a set-up, a turn or a tear-down takes longer than TIME (default: 1m, a "
               "set-up 5m)");
  command->add_option("--seed", run.seed, "Fixes the order of turns (default: random, printed)")
      ->check(fault_of_decimal)
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{9'223'372'036'854'775'807u}))
      ->type_name("N");
  command->add_option("--out", run.out, "Directory for the journal; must not hold a run (default: runs/<UTC time>)")
      ->type_name("DIR");
  command->add_option("--resume", run.resume, "Go on with the run in DIR: same plan, complete rounds kept")
      ->type_name("DIR");
  command
      ->add_option("--baselines", run.baselines,
                   "Where baselines live: tonight's list of nightly cases is the one stored there")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_accept(CLI::App& app, CommandLine& line, AcceptArguments& accept) {
  CLI::App* command = add_command(app, line, "accept", "Keep a run as one night of this machine's baseline",
                                  "  bindgate accept runs/tuesday --note 'after the move to the new rack'");
  command->add_option("RUN", accept.run, "A run's directory")->required();
  add_baselines(*command, accept.baselines);
  command->add_option("--note", accept.note, "Why, for whoever reads the baseline later")->type_name("TEXT");
  command->add_flag("--new-level", accept.new_level,
                    "After an intended change: only nights from this one on count; needs --note");
  command->add_flag("--force", accept.force,
                    "Accept in spite of failures, violated bindings or a Debug build (recorded)");
}

void add_gate(CLI::App& app, CommandLine& line, GateArguments& gate) {
  CLI::App* command = add_command(
      app, line, "gate", "Compare a run with the baseline and decide the build",
      "  bindgate gate runs/tuesday --markdown \"$GITHUB_STEP_SUMMARY\"\n"
      "\n"
      "Exit status: 0 good, 1 regressed, 2 usage or unreadable input, 3 unstable, 4 no trustworthy answer.");
  command->add_option("RUN", gate.run, "A run's directory")->required();
  add_baselines(*command, gate.baselines);
  command
      ->add_option("--policy", gate.policy, "Thresholds and what fails a build (default: policy.json in the baselines)")
      ->type_name("FILE");
  command->add_option("--markdown", gate.markdown, "Also append the report to FILE, as a CI job summary wants it")
      ->type_name("FILE");
}

// What is wrong with it; "" where nothing is.
std::string fault_of_process_id(const std::string& word) {
  int id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  const bool good = error == std::errc() && end == word.data() + word.size() && id > 0 && word.front() != '0';
  return good ? "" : "must be a number, as in bindgate verify 4711; found '" + word + '\'';
}

void add_verify(CLI::App& app, CommandLine& line, VerifyArguments& verify) {
  CLI::App* command = add_command(
      app, line, "verify", "Where a running process may run, ran and has its memory; whether that fits a variant",
      "  bindgate verify 4711                                   the facts; nothing is claimed or proven\n"
      "  bindgate verify $(pgrep -n python) --variant numactl   what does not fit\n"
      "  bindgate verify 4711 --variant half --variants-file my-variants.json\n"
      "  bindgate verify 4711 --variant numactl --repair --yes  re-bind its threads, move its pages, verify again\n"
      "\n"
      "A variant is as planned for whoever types it: none stands for all CPUs and nodes that the calling shell may\n"
      "use.\n"
      "\n"
      "Exit status: 0 it fits (or facts only), 2 usage, no such process or no permission, 4 it does not fit or cannot\n"
      "be verified.");
  command->add_option("PID", verify.process, "The process; what it started is looked at too")
      ->required()
      ->check(fault_of_process_id);
  CLI::Option* variant =
      command->add_option("--variant", verify.variant, "Hold it against this variant")->type_name("NAME");
  add_variants_file(*command, verify.variants_file)->needs(variant);
  CLI::Option* repair = command->add_flag("--repair", verify.repair, "Show what would have to be done to make it fit");
  repair->needs(variant);
  command->add_flag("--yes", verify.yes, "With --repair: do it, then verify again")->needs(repair);
}

bool is_known(const CLI::App& app, const std::string& option) {
  const std::vector<const CLI::Option*> options = app.get_options();  // a copy with every call
  return std::any_of(options.begin(), options.end(),
                     [&](const CLI::Option* known) { return known->check_name(option); });
}

// What is said of words that the command line has no place for.
std::string about_extras(const CLI::App& chosen, int count, const char* const* words, const std::string& text) {
  std::vector<std::string> options;
  for (const CLI::Option* option : chosen.get_options()) options.push_back(option->get_name());
  for (int i = 1; i < count; ++i) {
    const std::string word = std::string(words[i]).substr(0, std::string(words[i]).find('='));
    if (word.starts_with('-') && !is_known(chosen, word))
      return "unknown option '" + word + "'" + suggest(word, options);
  }
  const auto extras = chosen.remaining();
  if (extras.empty()) return text;
  const std::string cure = chosen.get_name() == "run" ? "; name cases with --case" : "";
  const auto nearest = nearest_name("--" + extras.front(), options);
  return "unexpected word '" + extras.front() + "'" + (nearest ? "; did you mean '" + *nearest + "'?" : cure);
}

// CLI11 knows no nearest names; a mistyped command or option is the commonest error there is.
std::string with_suggestion(const CLI::App& app, const CLI::ParseError& error, int count, const char* const* words) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::vector<std::string> known;
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const CLI::App* chosen = &app;
  for (const CLI::App* command : commands) {
    known.push_back(command->get_name());
    if (command->parsed()) chosen = command;
  }
  if (chosen == &app && count > 1 && words[1][0] != '-')
    return "unknown command '" + std::string(words[1]) + "'" + suggest(words[1], known);
  const bool no_place = chosen == &app || dynamic_cast<const CLI::ExtrasError*>(&error);
  return no_place ? about_extras(*chosen, count, words, text) : text;
}

}  // namespace

std::variant<CommandLine, ParsingEnd> parse_command_line(int count, const char* const* words) {
  CommandLine line;
  ListArguments list;
  TopologyArguments topology;
  VariantsArguments variants;
  RunArguments run;
  ShowArguments show;
  AcceptArguments accept;
  GateArguments gate;
  VerifyArguments verify;

  CLI::App app(description, "bindgate");
  app.footer(first_steps);
  app.set_version_flag("--version", std::string("bindgate ") + BINDGATE_VERSION);
  app.require_subcommand(1);

  add_list(app, line, list);
  CLI::App* command = add_command(app, line, "topology", "This machine's packages, nodes, cores, caches, devices",
                        "  bindgate topology --json | jq .nodes\n"
                        "  bindgate topology --from 'synthetic:package:2 numa:1 core:4 pu:2'\n"
                        "  bindgate topology --json > monday.json; bindgate topology --compare monday.json\n"
                        "\n"
                        "Exit status: 0, also where --compare finds differences (--json says whether, under\n"
                        "\"differs\"), 2 usage or unreadable source.");
  add_source(*command, topology.source);
  command
      ->add_option("--compare", topology.compare,
                   "Say what differs from FILE, an earlier --json of this command or any source, and what cannot be "
                   "compared")
      ->check([](const std::string& word) { return std::string(word.empty() ? "names no file" : ""); })
      ->type_name("FILE");
  add_variants(app, line, variants);
  add_run(app, line, run);
  command = add_command(app, line, "show", "Which variant is fastest for each case, by how much, how sure",
                        "  bindgate show runs/tuesday");
  command->add_option("RUN", show.run, "A run's directory")->required();
  add_accept(app, line, accept);
  add_gate(app, line, gate);
  add_verify(app, line, verify);

  try {
    app.parse(count, words);
  } catch (const CLI::Success& asked) {
    std::ostringstream text, ignored;
    app.exit(asked, text, ignored);
    return ParsingEnd{text.str(), 0};
  } catch (const CLI::ParseError& error) {
    return ParsingEnd{"bindgate: " + printable(with_suggestion(app, error, count, words)) +
                          "\nTry 'bindgate --help', or 'bindgate COMMAND --help' for an example.\n",
                      2};
  }
  if (app.got_subcommand("list"))
    line.command = list;
  else if (app.got_subcommand("topology"))
    line.command = topology;
  else if (app.got_subcommand("variants"))
    line.command = variants;
  else if (app.got_subcommand("run"))
    line.command = run;
  else if (app.got_subcommand("show"))
    line.command = show;
  else if (app.got_subcommand("accept"))
    line.command = accept;
  else if (app.got_subcommand("gate"))
    line.command = gate;
  else
    line.command = verify;
  return line;
}

}  // namespace bindgate
