package enginetest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// workVictim is the name of the child that works the queue off.
const workVictim = "work"

// killsEnv names the environment variable with the number of times that each kind of operation is
// killed; the default is small.
const killsEnv = "GHOSTLIGHT_TEST_KILLS"

func Kills() int {
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil && n > 0 {
		return n
	}
	return 4
}

// workOff opens a store, reports that, and runs the queue until it is empty.
func workOff(dir string) error {
	servers, err := demo.Start(demo.Options{Scripted: demo.InOrder(usual())})
	if err != nil {
		return err
	}
	e, err := engine.Open(config.Config{DataDir: dir, ConfigDir: filepath.Join(dir, "config"),
		Ollama: servers.OllamaURL, Comfy: []string{servers.ComfyURL},
		Model: demo.Model, LockWait: 5 * time.Second})
	if err != nil {
		return err
	}
	fmt.Println("open")
	if _, err := e.Queue.Drain(context.Background()); err != nil {
		return err
	}
	fmt.Println("done")
	return e.Close()
}

// KilledWork kills a child that works the queue off, at any moment.
func KilledWork(t *testing.T, dir string) (finished bool) {
	t.Helper()
	return killedWork(t, dir, func(kill func()) (stop func()) {
		timer := time.AfterFunc(time.Duration(rand.IntN(40000))*time.Microsecond, kill)
		return func() { timer.Stop() }
	})
}

// KilledGrowing kills a child that works the queue off once the data file has grown by so
// many bytes.
func KilledGrowing(t *testing.T, dir string, by int64) (finished bool) {
	t.Helper()
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "ghostlight.db"))
		Must(t, err)
		return info.Size()
	}
	before := size()
	return killedWork(t, dir, func(kill func()) (stop func()) {
		over, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for size() <= before+by {
				select {
				case <-over:
					return
				case <-time.After(time.Millisecond):
				}
			}
			kill()
		}()
		return func() { close(over); <-done }
	})
}

// killedWork runs the child, which killing may kill from when it has opened the store.
func killedWork(t *testing.T, dir string, killing func(kill func()) (stop func())) (finished bool) {
	t.Helper()
	cmd := Child(t, dir, workVictim)
	out, err := cmd.StdoutPipe()
	Must(t, err)
	cmd.Stderr = os.Stderr
	Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child did not open the store")
	}
	stop := killing(func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		finished = finished || lines.Text() == "done"
	}
	stop()
	_ = cmd.Wait() // killed, mostly
	return finished
}
