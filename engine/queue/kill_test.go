package queue

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const victimFile = "QUEUE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if path := os.Getenv(victimFile); path != "" {
		if err := victim(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// counted is a job whose effect adds a record of its own and one to a total.
func counted(_ context.Context, op storage.Operation, _ func(Progress)) (Effect, error) {
	return Effect{Apply: func(tx *storage.Tx) error {
		if err := mark(op.ID).Apply(tx); err != nil {
			return err
		}
		return mark("total").Apply(tx)
	}}, nil
}

// victim works off the queue and says so on stdout, line by line, until it is
// killed or has nothing to do.
func victim(path string) error {
	store, err := storage.Open(path, storage.Options{Program: "victim", LockWait: 10 * time.Second})
	if err != nil {
		return err
	}
	q := New(store, Options{OnChange: func(op storage.Operation) {
		if op.Status == storage.Completed {
			fmt.Println(op.ID)
		}
	}})
	q.Register(Kind{Type: "counted", Run: counted})
	_, err = q.Drain(context.Background())
	return err
}

func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	path := filepath.Join(t.TempDir(), "test.db")
	const operations = 150
	all := fill(t, path, operations)
	acknowledged := map[storage.OperationID]bool{}
	kills := 0
	for round := range 12 {
		after := rand.N(25 * time.Millisecond)
		if round == 0 {
			after = 20 * time.Millisecond
		}
		if bleed(t, path, after, acknowledged) {
			kills++
		}
	}
	if kills == 0 {
		t.Fatal("nobody was killed")
	}
	t.Logf("killed %d times, %d of %d acknowledged", kills, len(acknowledged), operations)

	s := newHarness(t, openStore(t, path), Options{})
	for id := range acknowledged {
		if op := s.get(id); op.Status != storage.Completed || s.marks(id) != 1 {
			t.Errorf("%s was acknowledged, but is %s, applied %d times", id, op.Status, s.marks(id))
		}
	}
	s.does("counted", counted)
	if _, err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range all {
		if op := s.get(id); op.Status != storage.Completed || s.marks(id) != 1 {
			t.Errorf("%s is %s after %d attempts, applied %d times", id, op.Status, op.Attempts, s.marks(id))
		}
	}
	if got := s.marks("total"); got != operations {
		t.Errorf("%d effects of %d operations", got, operations)
	}
}

// fill makes a store with operations on three lanes, in chains.
func fill(t *testing.T, path string, n int) (all ids) {
	store, err := storage.Open(path, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := New(store, Options{})
	err = store.Update(func(tx *storage.Tx) error {
		for i := range n {
			op := storage.Operation{Type: "counted", Lane: fmt.Sprint(i % 3), Priority: 1 + i%4}
			if i%5 == 4 {
				op.Dependencies = all[i-3 : i]
			}
			if err := q.Add(tx, &op); err != nil {
				return err
			}
			all = append(all, op.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// bleed runs a victim, kills it some time after its first sign of life, and
// notes what it acknowledged. It reports whether the victim was killed.
func bleed(t *testing.T, path string, after time.Duration, acknowledged map[storage.OperationID]bool) bool {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimFile+"="+path)
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	killing := false
	for lines.Scan() {
		if !killing {
			killing = true
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		if id := lines.Text(); len(id) == 26 { // a torn line is no acknowledgement
			acknowledged[storage.OperationID(id)] = true
		}
	}
	_ = cmd.Wait()
	if faults.Len() > 0 {
		t.Errorf("victim: %s", faults.String())
	}
	return !cmd.ProcessState.Exited()
}
