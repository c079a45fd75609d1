package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"
)

// The kinds of errors. Every error of this package that comes from a server wraps exactly one of
// them, or context.Canceled or context.DeadlineExceeded if the caller's context ended it.
var (
	ErrUnreachable = errors.New("server not reachable")
	ErrNotOllama   = errors.New("not an Ollama server")
	ErrNoModel     = errors.New("model not found")
	ErrTooLong     = errors.New("prompt exceeds the context")
	ErrBusy        = errors.New("server busy")
	ErrStalled     = errors.New("server went silent")
	ErrRefused     = errors.New("request refused")
	ErrLost        = errors.New("connection lost")
	ErrServer      = errors.New("server error")
)

// Limits of texts that are passed on, in runes.
const (
	maxWords = 300  // of every piece of a server's text
	maxFault = 1500 // a fault of an answer
)

// Error is a call that failed. Kind is one of the sentinels.
type Error struct {
	Op     string // the operation: chat, pull, ...
	URL    string // the server
	Model  string // "" when no model was concerned
	Kind   error
	Status int    // HTTP status, 0 when there was none
	Text   string // the server's or the system's own words, one line, at most 300 runes
	Err    error  // the cause, may be nil
}

// Error implements error.
func (e *Error) Error() string {
	s := "ollama " + e.Op + ": " + e.Kind.Error()
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// IsTransient reports whether the same request may succeed later without a change.
func IsTransient(err error) bool {
	for _, k := range []error{ErrUnreachable, ErrBusy, ErrStalled, ErrLost, ErrServer} {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}

// counted finds the number of tokens of a refused prompt in the server's text.
var counted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:request|prompt|input)[^0-9]{0,20}(\d{1,9}) tokens`)
})

// CountedIn returns the number of tokens that a server has counted in a prompt that it refused, 0
// if the error does not contain it. Ollama's errors do not; those of servers behind other gateways
// may.
func CountedIn(err error) int {
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrTooLong {
		return 0
	}
	m := counted().FindStringSubmatch(e.Text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // of at most nine digits
	return n
}

// ErrorText describes in one or two plain sentences what happened and what to do about it. It
// returns "" for nil. Text from a server in it is one line of at most 300 runes.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	var answer *AnswerError
	if errors.As(err, &answer) {
		return "The model did not give a usable answer: " + faultText(answer.Fault) +
			". Try again, or use another model."
	}
	var e *Error
	if errors.As(err, &e) {
		return e.words()
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "Stopped."
	case errors.Is(err, context.DeadlineExceeded):
		return "It took too long and was stopped."
	}
	return clip(err.Error())
}

func (e *Error) words() string {
	switch e.Kind {
	case ErrUnreachable:
		if e.Status >= 500 {
			return fmt.Sprintf("Something answered at %s, but not Ollama: %d %s. If that is a proxy, check that "+
				"Ollama runs behind it; if not, give the right address with --ollama.",
				e.URL, e.Status, http.StatusText(e.Status))
		}
		return fmt.Sprintf(
			"Ollama cannot be reached at %s. Start it with `ollama serve`, or give its address with --ollama.", e.URL)
	case ErrNotOllama:
		return fmt.Sprintf("Something answered at %s, but not Ollama%s. Give the right address with --ollama.", e.URL,
			quote(": ", e.Text))
	case ErrNoModel:
		if e.Op == "pull" {
			return fmt.Sprintf("Ollama's library has no model %q. Look up its exact name and tag.", clip(e.Model))
		}
		return fmt.Sprintf("Ollama at %s has no model %q. Get it with `ollama pull %s`, or choose another one.", e.URL,
			clip(e.Model), clip(e.Model))
	case ErrTooLong:
		return "The prompt is longer than the model's context. Raise `ollama.num_ctx` in config.toml, or shorten " +
			"what goes into the prompt."
	case ErrBusy:
		return "Ollama is busy. Wait a moment and try again."
	case ErrStalled:
		if e.Op == "chat" {
			return fmt.Sprintf("Ollama at %s made no progress for too long (ollama.give_up_after). Try again; if it "+
				"stays silent, restart Ollama.", e.URL)
		}
		return fmt.Sprintf("Ollama at %s did not respond for too long. Try again; if it stays silent, restart Ollama.",
			e.URL)
	case ErrLost:
		return "The connection to Ollama was lost. Check that it is still running, then try again."
	case ErrRefused:
		if e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden {
			return fmt.Sprintf("%s denied access: %s. Set its token or headers in ollama.headers; if they are set, "+
				"they may be wrong or expired.", e.URL, e.Text)
		}
		return "Ollama cannot do what was asked" + quote(": ", e.Text) + ". Check the model and its settings."
	case ErrServer:
		return e.serverWords()
	}
	return ErrorText(e.Kind)
}

func (e *Error) serverWords() string {
	low := strings.ToLower(e.Text)
	switch {
	case strings.Contains(low, "memory"):
		return "There is not enough memory for the model" + quote(": ", e.Text) +
			". Close other programs, use a smaller model, or lower the context size."
	case e.Op == "pull":
		return "Ollama could not download the model" + quote(": ", e.Text) +
			". Check the internet connection and try again."
	}
	return "Ollama reports an error" + quote(": ", e.Text) + ". Try again; its log has details."
}

func quote(before, text string) string {
	if text == "" {
		return ""
	}
	return before + strings.TrimRight(clip(text), ". ")
}

// faultText returns what is wrong with an answer, to be followed by a full stop.
func faultText(fault string) string { return strings.TrimRight(clipTo(fault, maxFault), ". ") }

// clip makes one line of at most maxWords runes out of any text: runs of white
// space and control characters become a single space.
func clip(s string) string { return clipTo(s, maxWords) }

func clipTo(s string, most int) string {
	var b strings.Builder
	n, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = n > 0
			continue
		}
		if n >= most-2 { // room for a space, a rune or the sign that more follows
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			n, space = n+1, false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// refuse returns the error for a request that is not sent.
func (c *Client) refuse(op, model, why string) error {
	return &Error{Op: op, URL: c.BaseURL(), Model: model, Kind: ErrRefused, Text: clip(why)}
}

// fail converts the library's error of k, and the state of the watch, to an Error. err may be nil
// if the body broke off without an error of the library.
func (c *Client) fail(parent context.Context, op, model string, k *call, err error) error {
	e := &Error{Op: op, URL: c.BaseURL(), Model: model, Status: k.w.status, Err: err}
	e.Text, e.Kind = classify(parent, k, err)
	e.Text = clip(e.Text)
	return e
}

func classify(parent context.Context, k *call, err error) (text string, kind error) {
	w := k.w
	if parent.Err() != nil {
		return "", parent.Err()
	}
	if errors.Is(context.Cause(k.ctx), ErrStalled) {
		return "", ErrStalled
	}
	if w.status == http.StatusUnauthorized || w.status == http.StatusForbidden {
		return signIn(w.status), ErrRefused
	}
	if w.foreign != nil || w.status >= 300 && w.status < 400 {
		return fmt.Sprintf("%d %s", w.status, w.foreign), foreignKind(w.status)
	}
	var status api.StatusError
	if errors.As(err, &status) {
		return status.ErrorMessage, statusKind(status.StatusCode, status.ErrorMessage)
	}
	if w.status == 0 {
		return causeText(err), transportKind(err)
	}
	if w.status >= 400 { // a refusal with an empty body
		if k := foreignKind(w.status); k == ErrUnreachable {
			return http.StatusText(w.status), k
		}
		return http.StatusText(w.status), statusKind(w.status, "")
	}
	if w.broken() {
		return causeText(w.end), ErrLost
	}
	return lineKind(err)
}

// signIn returns the requirement of a server that refuses access.
func signIn(status int) string {
	if status == http.StatusForbidden {
		return "it forbids the request (403)"
	}
	return "it wants a token or a sign-in (401)"
}

// lineKind classifies an error that came as a line of a stream with status 200, or a line that
// cannot be read.
func lineKind(err error) (text string, kind error) {
	if err == nil {
		return "the answer ended too early", ErrLost
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	var when *time.ParseError
	text = err.Error()
	switch {
	case errors.As(err, &typ):
		field := typ.Field[strings.LastIndexByte(typ.Field, '.')+1:]
		return fmt.Sprintf("a line of its answer has a %s for %q", typ.Value, field), ErrNotOllama
	case errors.As(err, &when), strings.HasPrefix(text, "Time.UnmarshalJSON"):
		return "a line of its answer has a time that cannot be read", ErrNotOllama
	}
	if errors.As(err, &syntax) || errors.Is(err, errNoReply) || strings.HasPrefix(text, "{") {
		return text, ErrNotOllama
	}
	return text, statusKind(http.StatusInternalServerError, text)
}

// statusKind classifies the refusals of Ollama by status and text: it answers 500 to many faulty
// requests.
func statusKind(status int, text string) error {
	low := strings.ToLower(text)
	has := func(s string) bool { return strings.Contains(low, s) }
	switch {
	case has("exceeds the context length"), has("exceed context"), has("exceeds context"),
		has("exceeds the available context"):
		return ErrTooLong
	case has("model") && has("not found"), has("pull model manifest: file does not exist"):
		return ErrNoModel
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		return ErrBusy
	case status == http.StatusNotFound:
		return ErrNotOllama
	case status >= 400 && status < 500:
		return ErrRefused
	case strings.HasPrefix(low, "option "), strings.HasPrefix(low, "invalid "):
		return ErrRefused
	}
	return ErrServer
}

// foreignKind classifies an answer that is not JSON. Gateways in front of a server that is down
// give such answers too.
func foreignKind(status int) error {
	switch status {
	case http.StatusServiceUnavailable:
		return ErrBusy
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return ErrUnreachable
	}
	return ErrNotOllama
}

// transportKind classifies a request that got no answer at all.
func transportKind(err error) error {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &op) && op.Op == "dial", errors.As(err, &dns):
		return ErrUnreachable
	case err != nil && (strings.Contains(err.Error(), "malformed HTTP") ||
		strings.Contains(err.Error(), "server gave HTTP response")):
		return ErrNotOllama
	}
	return ErrLost
}

// causeText removes the method and the address that the HTTP client puts before every cause.
func causeText(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
