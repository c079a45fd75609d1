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

// Victim is what a child of a test binary does with a data folder, mostly until it is killed.
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

// Child returns a child of this test binary that is the victim of that name, which Main
// was given or has itself, with env in its environment besides. It skips the test with
// -short: what such a child does, other tests do in their own process.
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
