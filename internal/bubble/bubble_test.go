package bubble

import (
	"os"
	"testing"
	"time"
)

func TestTimePassesAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"an hour", "two"} {
		t.Run(name, func(t *testing.T) {
			Run(t, func(t *testing.T) {
				if os.Getenv(inside) == "" {
					t.Error("it runs in the process of the other tests")
				}
				began := time.Now()
				time.Sleep(time.Hour)
				if passed := time.Since(began); passed != time.Hour {
					t.Errorf("%s passed", passed)
				}
			})
		})
	}
}
