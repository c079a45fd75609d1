package ollama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"
)

const (
	// lineBuffer is enough for most lines of a stream; it grows for longer ones. The library's own
	// client allocates maxLine for each request, which was the largest part of the program's memory
	// during a reply.
	lineBuffer = 4 << 10
	maxLine    = 8 << 20
)

// signed reports whether the server requires signed requests, which only the library can send.
func (k *call) signed() bool { return k.base.Hostname() == "ollama.com" || envconfig.UseAuth() }

// chat posts a request for a reply and passes each line of its stream to add.
func (k *call) chat(req *api.ChatRequest, add func(api.ChatResponse) error) error {
	if k.signed() {
		return k.Chat(k.ctx, req, add)
	}
	return stream(k, "/api/chat", req, add)
}

// pull posts a request for a model and passes each line of its progress to add.
func (k *call) pull(req *api.PullRequest, add func(api.ProgressResponse) error) error {
	if k.signed() {
		return k.Pull(k.ctx, req, add)
	}
	return stream(k, "/api/pull", req, add)
}

// stream posts a request and passes each line of the answer to add. Errors are those of the
// library's client. The call's watch holds the way in which the body ended.
func stream[T any](k *call, path string, req any, add func(T) error) error {
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(k.ctx, http.MethodPost, k.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/x-ndjson")
	resp, err := k.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, lineBuffer), maxLine)
	var line, none T // one for all: it is large, and goes on by value
	for lines.Scan() {
		line = none
		if err := readLine(resp, lines.Bytes(), &line); err != nil {
			return err
		}
		if err := add(line); err != nil {
			return err
		}
	}
	return nil
}

// readLine reads one line of a stream.
func readLine(resp *http.Response, data []byte, line any) error {
	if err := fault(resp, data); err != nil {
		return err
	}
	err := json.Unmarshal(data, line)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return errors.New(string(data)) // a server's words, of whatever kind
	}
	return err
}

// fault returns the error that a line of a stream reports. Quotes inside a reply are escaped, so
// that hardly any line is parsed twice.
func fault(resp *http.Response, line []byte) error {
	bad := resp.StatusCode >= http.StatusBadRequest
	if !bad && !bytes.Contains(line, []byte(`"error"`)) {
		return nil
	}
	var told struct {
		Error     string `json:"error"`
		SigninURL string `json:"signin_url"`
	}
	err := json.Unmarshal(line, &told)
	switch {
	case err != nil && !bad:
		return errors.New(string(line))
	case resp.StatusCode == http.StatusUnauthorized && err == nil:
		return api.AuthorizationError{StatusCode: resp.StatusCode, Status: resp.Status, SigninURL: told.SigninURL}
	case err != nil:
		return api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: string(line)}
	case bad:
		return api.StatusError{StatusCode: resp.StatusCode, Status: resp.Status, ErrorMessage: told.Error}
	case told.Error != "":
		return errors.New(told.Error)
	}
	return nil
}
