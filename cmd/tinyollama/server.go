package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

const (
	startWait = 30 * time.Second
	pollEvery = 10 * time.Millisecond
	tailBytes = 4000
)

// The templates lay out a prompt in the ChatML format. Ollama derives the model's capabilities,
// thinking or tools, from what its template mentions. Without a tag for tool calls, an answer that
// begins as a JSON object is read as one.
const (
	plainTemplate = `{{ range $i, $_ := .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}
{{- if not (and (eq .Role "assistant") (eq (len (slice $.Messages $i)) 1)) }}<|im_end|>
{{ if eq (len (slice $.Messages $i)) 1 }}<|im_start|>assistant
{{ end }}{{ end }}{{ end }}`

	thinkTemplate = `{{ range $i, $_ := .Messages }}<|im_start|>{{ .Role }}
{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}
{{- if not (and (eq .Role "assistant") (eq (len (slice $.Messages $i)) 1)) }}<|im_end|>
{{ if eq (len (slice $.Messages $i)) 1 }}<|im_start|>assistant
{{ if $.IsThinkSet }}<think>{{ if not $.Think }}</think>{{ end }}{{ end }}
{{- end }}{{ end }}{{ end }}`

	toolsTemplate = `{{ if .Tools }}<|im_start|>system
{{ range .Tools }}{{ . }}
{{ end }}<|im_end|>
{{ end }}{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
`
)

// server is a running Ollama with its own home folder.
type server struct {
	url   string
	dir   string // everything it writes, its log included
	small string // the name of the model of trained weights, "" for none
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process is gone
	api   *api.Client
}

// start runs the server on a free port and waits until it answers.
func start(bin string, env []string) (*server, error) {
	var err error
	for range 3 { // another process may take the port meanwhile
		var s *server
		if s, err = launch(bin, env); err != nil {
			return nil, err
		}
		if err = s.ready(); err == nil {
			return s, nil
		}
		err = fmt.Errorf("%w\n%s", err, s.logTail())
		s.stop()
	}
	return nil, err
}

func launch(bin string, env []string) (*server, error) {
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tinyollama-")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, ended: make(chan struct{})}
	log, err := os.Create(s.logFile())
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { _ = log.Close() }() // the process has its own handle
	s.url = "http://" + addr
	s.api = api.NewClient(&url.URL{Scheme: "http", Host: addr}, &http.Client{Transport: &http.Transport{}})
	s.cmd = exec.Command(bin, "serve")
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"OLLAMA_HOST=" + addr, "OLLAMA_MODELS=" + filepath.Join(dir, "models"), "OLLAMA_NO_CLOUD=1",
		"OLLAMA_DEBUG=1", // logs how much of each prompt was already in the cache
	}, env...)
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	crash.Go("waiting for the server to end", func() {
		_ = s.cmd.Wait() // how it ended is in its log
		close(s.ended)
	})
	return s, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// ready waits until the server answers.
func (s *server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if s.api.Heartbeat(ctx) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.ended:
			return errors.New("the server ended at once")
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer after %s", startWait)
		}
	}
}

// createModels makes all models.
func (s *server) createModels(ctx context.Context) error {
	if err := s.create(ctx, plainModel, plainTemplate, bytes.NewReader(tinyGGUF(false)), nil); err != nil {
		return err
	}
	if err := s.create(ctx, toolsModel, toolsTemplate, bytes.NewReader(tinyGGUF(false)), nil); err != nil {
		return err
	}
	return s.create(ctx, thinkModel, thinkTemplate, bytes.NewReader(tinyGGUF(true)), nil)
}

// createFrom creates a model from a GGUF file, with ChatML as its template. It computes on one
// thread: with other programs running, several threads wait for each other and take twenty times
// as long.
func (s *server) createFrom(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // only read
	if err := s.create(ctx, name, plainTemplate, f, map[string]any{"num_thread": 1}); err != nil {
		return err
	}
	s.small = name
	return nil
}

// create uploads weights and creates a model. more are parameters in addition to the common ones.
func (s *server) create(ctx context.Context, name, template string, weights io.ReadSeeker, more map[string]any) error {
	parameters := map[string]any{"stop": []string{endOfTurn}}
	maps.Copy(parameters, more)
	sum := sha256.New()
	_, err := io.Copy(sum, weights)
	if err == nil {
		_, err = weights.Seek(0, io.SeekStart)
	}
	digest := fmt.Sprintf("sha256:%x", sum.Sum(nil))
	if err == nil {
		err = s.api.CreateBlob(ctx, digest, io.NopCloser(weights)) // a file stays open for its owner to close
	}
	if err != nil {
		return fmt.Errorf("upload of %s: %w", name, err)
	}
	made := false
	err = s.api.Create(ctx, &api.CreateRequest{
		Model: name, Files: map[string]string{name + ".gguf": digest}, Template: template,
		Parameters: parameters,
	}, func(p api.ProgressResponse) error { made = made || p.Status == "success"; return nil })
	if err == nil && !made {
		err = errors.New("the server did not say that it is done")
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	return nil
}

// stop stops the server and removes its files.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "tinyollama:", err)
	}
}

func (s *server) logFile() string { return filepath.Join(s.dir, "server.log") }

// logTail returns the end of the server's log.
func (s *server) logTail() []byte {
	b, err := os.ReadFile(s.logFile())
	if err != nil {
		return []byte(err.Error())
	}
	return b[max(0, len(b)-tailBytes):]
}
