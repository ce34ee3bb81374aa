#include "grader/commands/subcommand.h"

#include "grader/commands/command.h"

const Subcommand grader_subcommands[] = {
    {"grade", command_grade, WITH_SANDBOX,
     "convjudge grade [--problem ID] [--device DEVICE] [--as NAME] [--json FILE|-] [--seed HEX]\n"
     "                [--gradescope FILE [--class FILE]] [--junit FILE] [--all-cases FILE]\n"
     "                [--no-record] [--untimed] [--no-second-opinion] [--unconfined] FILE\n"
     "    Judges a CUDA source file. Exit status 0: accepted, 1: not accepted, 2: judge error.\n"
     "    --problem ID     default: what a line \"// problem: ID\" says, else the problem that solve() fits\n"
     "    --device DEVICE  auto (a GPU if there is one, else sim), cuda[:N], sim[:PROFILE];\n"
     "                     cpu: for plain C\n"
     "    --as NAME        the name to record the run under; default: the login name\n"
     "    --json FILE      write result.json (docs/formats.md); \"-\": to standard output, instead of the report\n"
     "    --gradescope FILE  write it as Gradescope's results.json, too (docs/platforms.md)\n"
     "    --class FILE     with the points of this class.json; without, 1 point for Accepted\n"
     "    --junit FILE     write it as JUnit XML, too\n"
     "    --seed HEX       repeat a grading: hidden cases with the data of the run with this \"seed\" in its\n"
     "                     result.json; the run is not recorded\n"
     "    --no-record      do not record the run\n"
     "    --all-cases FILE judge every sample and hidden case, also after one that fails, and write their verdicts: for points\n"
     "                     (docs/teaching.md). The report and result.json stay as they are\n"
     "    --untimed        leave out the timed cases: samples and hidden cases decide, and the run is not recorded\n"
     "    --no-second-opinion\n"
     "                     on a real GPU, do not let the simulated one judge samples and hidden cases as well\n"
     "    --unconfined     run it even where no full sandbox can be made, with your rights and without a rank: use\n"
     "                     it only for files that you would run yourself; the other commands take it, too\n"},
    {"try", command_try, WITH_SANDBOX,
     "convjudge try [--sizes NAME=N,...] [--seed N] [--data FILE] [--problem ID] [--device DEVICE]\n"
     "              [--json FILE|-] [--no-second-opinion] [--unconfined] FILE\n"
     "    Runs FILE on a case of your own, and shows everything about it: the sizes that you give, and random data. Without\n"
     "    --sizes, runs the samples. Nothing is recorded. Exit status 0: it is right, 1: it is not, 2: judge error.\n"
     "    --sizes LIST     a number for each size: input_size=1000,kernel_size=7\n"
     "    --seed N         repeat the data of the run that printed this number\n"
     "    --data FILE      .npy, .pgm or .ppm: the first input; \"NAME=FILE\" for another one, several with commas\n"},
    {"leaderboard", command_leaderboard, WITHOUT_SANDBOX,
     "convjudge leaderboard --problem ID [--device DEVICE]\n"
     "    Prints the ranking: each person's best accepted submission.\n"},
    {"quarantine", command_quarantine, WITHOUT_SANDBOX,
     "convjudge quarantine [--problem ID] [--json FILE|-]\n"
     "convjudge quarantine --accept RUN|--reject RUN --why TEXT [--as NAME]\n"
     "    Lists the runs that wait in quarantine: accepted ones that are too fast to be ranked without a look. The other\n"
     "    form decides about one of them: an accepted run ranks like any other, a rejected one stays hidden. Nothing is\n"
     "    deleted, and the newest decision counts.\n"
     "    --json FILE      write the list with sources and samples (docs/formats.md); \"-\": to standard output, instead\n"
     "                     of the list\n"
     "    --as NAME        who decides; default: the login name\n"},
    {"retime", command_retime, WITH_SANDBOX,
     "convjudge retime --problem ID [--top N] [--device DEVICE] [--unconfined]\n"
     "convjudge retime --run N [--record] [--device DEVICE] [--unconfined]\n"
     "    Times the best submissions of a device's board side by side, in turn, and prints the order by the stored times\n"
     "    and the order found now, with the ratios of times in the same round. Records nothing. Exit status 0: no rank is\n"
     "    contradicted, 1: one is, or a submission is no longer accepted.\n"
     "    --top N          how many people, besides the best reference solution; default: 5\n"
     "    The other form judges run N again, with new data, on a device of the same kind. Exit status 0: it is accepted.\n"
     "    --record         keep that as a further run of the same person; what counts is the median of all runs of a code\n"},
    {"verify-leaderboard", command_verify_leaderboard, WITHOUT_SANDBOX,
     "convjudge verify-leaderboard [--json FILE|-]\n"
     "    Computes every time and score of the leaderboard again from its raw samples, and names each row that says\n"
     "    something else, and each table or trigger that was changed. Exit status 1: there is one.\n"
     "    --json FILE      write the findings as JSON (docs/formats.md); \"-\": to standard output, instead of the list\n"},
    {"retract", command_retract, WITHOUT_SANDBOX,
     "convjudge retract RUN --why TEXT [--as NAME]\n"
     "    Hides a run from the ranking. The run stays as evidence, with the reason and who gave it.\n"},
    {"references", command_references, WITH_SANDBOX,
     "convjudge references --problem ID [--device DEVICE] [--missing] [--export] [--unconfined]\n"
     "    Times the reference solutions; with --missing those that have no time yet. --export also writes\n"
     "    leaderboard/references/<device>.json.\n"},
    {"roofline", command_roofline, WITH_SANDBOX,
     "convjudge roofline --problem ID [--device DEVICE] [--json FILE] [--unconfined]\n"
     "    Shows for each timed case what the device allows (bytes, float32, TF32 tensor cores), the reference solutions, and,\n"
     "    on a real GPU, programs of others. Exit status 1: a reference solution is not accepted, or a rival is nearly as fast.\n"},
    {"baselines", command_baselines, WITH_SANDBOX,
     "convjudge baselines --problem ID [--device DEVICE] [--unconfined]\n"
     "    Times the CPU baselines and the reference solutions, and prints them in one table.\n"},
    {"explain", command_explain, WITH_SANDBOX,
     "convjudge explain [--problem ID] [--device DEVICE] [--case N|NAME] [--json FILE|-] [--ncu] [--unconfined] FILE\n"
     "    Shows where FILE's time goes on a simulated GPU, case by case: what limits each kernel, what each line\n"
     "    costs, and what to change.\n"
     "    --case N|NAME    the timed case to explain, by its number or name; default: all, and the one with most\n"
     "                     operations line by line\n"
     "    --json FILE      write explain.json (docs/formats.md); \"-\": to standard output, instead of the report\n"
     "    --ncu            with --device cuda: also show what Nsight Compute measures. This runs FILE directly on\n"
     "                     the GPU, outside of the sandbox and with your rights: use it only for your own files\n"},
    {"sweep", command_sweep, WITH_SANDBOX,
     "convjudge sweep [--problem ID] [--device DEVICE] [--unconfined] FILE\n"
     "    Times FILE with every combination of the macros in its line \"// sweep: BLOCK=8,16 TILE=1,2\".\n"},
    {"calibrate", command_calibrate, WITH_SANDBOX,
     "convjudge calibrate [--device DEVICE] [--unconfined]\n"
     "    Measures the peak rates of a GPU, for leaderboard/devices/<device>.json, and times all reference\n"
     "    solutions, for leaderboard/references/<device>.json.\n"},
    {"check", command_check, WITH_SANDBOX,
     "convjudge check [--problem ID] [--device DEVICE] [--timed] [--unconfined] [PATH...]\n"
     "    Checks that solutions get the verdict that their folder names. Default: all, on the simulated GPU. On a\n"
     "    real GPU, the verdicts in a line \"// on cuda: VERDICT, VERDICT\" are right, too. Prints TAP.\n"
     "    --timed          on a real GPU, also run the timed cases, which takes longer\n"},
    {"check-problem", command_check_problem, WITH_SANDBOX,
     "convjudge check-problem --problem ID [--device DEVICE] [--mutants N | --thorough] [--seed N]\n"
     "                        [--only-mutants] [--keep FILE] [--unconfined]\n"
     "    Checks that a problem is complete (statement, cases, oracle, starter, solutions) and that every hidden case\n"
     "    finds a wrong solution. Shows which case finds which solution, and names the first thing missing.\n"
     "    In the end it breaks accepted solutions in the ways that students do, and names each mistake that\n"
     "    the cases do not find, with its line. Prints TAP.\n"
     "    --mutants N      grade a sample of N broken solutions; default: 20, 0 for none\n"
     "    --thorough       grade all of them, which can take hours\n"
     "    --seed N         take the sample, and the data, of the check that printed this seed\n"
     "    --only-mutants   leave out all other checks\n"
     "    --keep FILE      note in FILE which mutants are found, and do not judge those again that it names\n"},
    {0},
};
