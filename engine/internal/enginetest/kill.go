package enginetest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// In the environment of a child of a test binary: the name of the victim that it is, and
// its data folder.
const (
	victimName = "GHOSTLIGHT_ENGINE_VICTIM"
	victimDir  = "GHOSTLIGHT_ENGINE_VICTIM_DIR"
)

// Victim is the work of a child process of a test binary on a data folder, mostly until it is
// killed.
type Victim struct {
	Name string
	Run  func(dir string) error
}

// runVictim runs the victim that this child is, and returns its exit code.
func runVictim(name string, victims []Victim) int {
	for _, v := range victims {
		if v.Name != name {
			continue
		}
		if err := v.Run(os.Getenv(victimDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	fmt.Fprintf(os.Stderr, "no victim is named %s\n", name)
	return 2
}

// Child returns a command that runs this test binary as the victim with that name, one of Main's
// arguments or a built-in one. env is added to its environment. With -short it skips the test:
// other tests do the same work in their own process.
func Child(t *testing.T, dir, victim string, env ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	exe, err := os.Executable()
	Must(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(append(os.Environ(), victimName+"="+victim, victimDir+"="+dir), env...)
	return cmd
}
