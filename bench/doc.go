// Command bench measures what Stagecoach promises in numbers: "go run ./bench"
// runs every suite and prints a table; the exit code is 1 when a budget fails.
//
//	-suite git   run one suite; the names are in the table's first column
//	-quick       smaller sizes and fewer rounds: within a minute in all
//	-json        print [{"suite","name","value","unit","budget","pass"}, …]
//
// Progress goes to stderr. The git command is needed. Times are medians; what is
// compared runs in the same rounds, turn by turn, so that a busy machine slows
// all of it.
//
// # A suite
//
// A suite is a function in a file of its own, which registers itself:
//
//	var _ = register("core", coreSuite)
//
//	func coreSuite(ctx context.Context, b *bench) ([]row, error) {
//		…
//		return []row{
//			value("advance, one input", 0.02, "ms").atMost(1),
//			value("goroutines while waiting", 0, "").exactly(0),
//		}, nil
//	}
//
// Suites run one after the other. A row without a budget is there to be read.
// b.dir gives folders that are removed at the end, b.say tells what goes on, and
// b.quick says to be short. A row's name says at which size it was measured, so
// that quick and full runs can be told apart. An error ends the run with exit
// code 2: nothing was measured.
package main
