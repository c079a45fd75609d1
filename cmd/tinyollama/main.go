// Command tinyollama runs a real Ollama server with three tiny models of random
// weights, for tests: their text is gibberish, everything else is the real
// thing. It needs the go command, gcc and g++, and builds the server the first
// time.
//
//	tinyollama [flags]                       print the server's address, run until interrupted
//	tinyollama [flags] -- COMMAND [ARGS...]  run COMMAND against the server, exit with its status
//
// With -gguf the server also has a model of trained weights from a file, which must
// use ChatML.
//
// COMMAND finds the address in GHOSTLIGHT_TEST_OLLAMA and the names of the models
// in GHOSTLIGHT_TEST_MODEL, GHOSTLIGHT_TEST_THINK_MODEL, GHOSTLIGHT_TEST_TOOLS_MODEL
// and, with -gguf, GHOSTLIGHT_TEST_SMALL_MODEL.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const (
	plainModel = "tiny"
	thinkModel = "tiny-think"
	toolsModel = "tiny-tools"
	// stopTimeout is how long a process may take to end after it was asked to.
	stopTimeout = 10 * time.Second
)

// settings are the command line.
type settings struct {
	cache     string   // folder that keeps the built server
	ollama    string   // a server binary to use instead of building one
	buildOnly bool     // build, print the path, and end
	gguf      string   // a file with the weights of another model, "" for none
	name      string   // the name of that model
	env       []string // more environment for the server
	command   []string
}

func main() {
	set, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "tinyollama:", err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status, err := run(ctx, set)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tinyollama:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

func parse(args []string) (settings, error) {
	var set settings
	fs := flag.NewFlagSet("tinyollama", flag.ContinueOnError)
	fs.StringVar(&set.cache, "cache", "",
		"folder that keeps the built server (default: ghostlight-tinyollama in the user's cache folder)")
	fs.StringVar(&set.ollama, "ollama", "", "server binary to use instead of building one")
	fs.BoolVar(&set.buildOnly, "build", false, "only build, and print where the binary lies")
	fs.StringVar(&set.gguf, "gguf", "", "GGUF `FILE` of a small trained model that uses ChatML")
	fs.StringVar(&set.name, "name", "small", "name of the model of -gguf on the server")
	fs.Func("env", "`NAME=VALUE` for the server's environment; may be repeated", func(s string) error {
		set.env = append(set.env, s)
		return nil
	})
	if err := fs.Parse(args); err != nil {
		return set, err
	}
	set.command = fs.Args()
	if set.gguf != "" && set.name == "" {
		return set, errors.New("-gguf needs a name for its model: give one with -name")
	}
	if set.cache == "" && set.ollama == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return set, fmt.Errorf("no cache folder, name one with -cache: %w", err)
		}
		set.cache = filepath.Join(dir, "ghostlight-tinyollama")
	}
	return set, nil
}

// run runs the command line and returns the exit status.
func run(ctx context.Context, set settings) (int, error) {
	began := time.Now()
	bin := set.ollama
	if bin == "" {
		var err error
		if bin, err = build(ctx, set.cache); err != nil {
			return 1, err
		}
	}
	if set.buildOnly {
		fmt.Println(bin)
		return 0, nil
	}
	s, err := start(bin, set.env)
	if err != nil {
		return 1, err
	}
	defer s.stop()
	if err := s.createModels(ctx); err != nil {
		return 1, fmt.Errorf("%w\n%s", err, s.logTail())
	}
	if set.gguf != "" {
		if err := s.createFrom(ctx, set.name, set.gguf); err != nil {
			return 1, fmt.Errorf("%w\n%s", err, s.logTail())
		}
	}
	fmt.Fprintf(os.Stderr, "tinyollama: %s is ready after %.1f s\n", s.url, time.Since(began).Seconds())
	if len(set.command) > 0 {
		return s.run(ctx, set.command)
	}
	fmt.Println(s.url)
	select {
	case <-ctx.Done():
		return 0, nil
	case <-s.ended:
		return 1, fmt.Errorf("the server ended by itself\n%s", s.logTail())
	}
}

// run runs a command against the server and returns its status. When ctx ends, the command is
// asked to end, and killed if it does not.
func (s *server) run(ctx context.Context, command []string) (int, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "GHOSTLIGHT_TEST_OLLAMA="+s.url, "GHOSTLIGHT_TEST_OLLAMA_LOG="+s.logFile(),
		"GHOSTLIGHT_TEST_MODEL="+plainModel, "GHOSTLIGHT_TEST_THINK_MODEL="+thinkModel,
		"GHOSTLIGHT_TEST_TOOLS_MODEL="+toolsModel)
	if s.small != "" {
		c.Env = append(c.Env, "GHOSTLIGHT_TEST_SMALL_MODEL="+s.small)
	}
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = stopTimeout
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil // -1: ended by a signal
	}
	return 0, err
}
