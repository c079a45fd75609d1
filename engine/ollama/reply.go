package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

const (
	maxContent  = 1 << 20
	maxThinking = 4 << 20
	// The server ends a reply without notice after this number of equal pieces.
	repeatLimit = 30
	// The number of lines that a reply may have beyond twice its token limit before it counts as
	// one that ignores the limit.
	spareLines = 200
)

// Ending is the way in which a reply ended.
type Ending string

// The endings of a reply.
const (
	EndComplete Ending = "complete" // the model ended it
	// EndLength means that the reply reached its limit, the edge of the context, or the most text
	// that the program takes.
	EndLength       Ending = "length"
	EndStopped      Ending = "stopped"       // the caller's context ended
	EndDied         Ending = "died"          // the connection broke off or went silent
	EndRepeat       Ending = "repeat"        // the model repeats itself, and was stopped
	EndUnfinished   Ending = "unfinished"    // the stream ended in order, but without the end of the reply
	EndError        Ending = "error"         // the server reported an error in the middle
	EndThinkingOnly Ending = "thinking_only" // the model thought and wrote nothing
)

// errEnough stops a stream that exceeds maxContent or maxThinking.
var errEnough = errors.New("reply exceeds what the program takes")

// errNoReply is the error of a JSON stream without any line that looks like Ollama's.
var errNoReply = errors.New("none of its lines is a reply")

// reply collects a stream into a Result.
type reply struct {
	onDelta       func(Delta)
	content       strings.Builder
	thinking      strings.Builder
	split         thinkSplit
	announced     bool // the server itself separates thoughts from content
	last          string
	run           int // how many pieces in a row equal last
	seen          int // lines that can only be Ollama's
	calls         []ToolCall
	arguments     int           // bytes of all calls
	stopReason    string        // why the program takes no more, "" while it does
	stopEnding    Ending        // how it then ended, "" for EndLength
	loops         loopWatch     // of the content
	thinkingLoops loopWatch     // of the thoughts
	patience      *silenceLimit // of the request, nil for none
	lines         int           // that brought text
	limit         int           // of tokens that were asked for, 0 for none
	think         Think         // the request's setting for thinking
	mustThink     bool          // the model answers nothing if thinking is turned off
	done          *api.ChatResponse
	told          *api.ChatResponse // the last line for which isEnd is true, nil for none
}

// add processes one line of the stream.
func (r *reply) add(line api.ChatResponse) error {
	if r.done != nil {
		return nil
	}
	content := strings.ToValidUTF8(line.Message.Content, "\uFFFD")
	thinking := strings.ToValidUTF8(line.Message.Thinking, "\uFFFD")
	if isEnd(line) {
		last := line // a copy: with its own address each line would be garbage
		r.told = &last
	}
	if line.Model != "" || content != "" || thinking != "" || len(line.Message.ToolCalls) > 0 || line.Done {
		r.seen++
	}
	r.count(content + thinking)
	if thinking != "" && !r.announced {
		r.announced = true
		content = r.split.off() + content
	}
	rethought := false
	if content != "" && (!r.announced || r.split.state == splitGap) {
		var more string
		content, more, rethought = r.split.add(content, r.content.String())
		thinking += more
	}
	if line.Done {
		c, t := r.split.flush()
		content, thinking = content+c, thinking+t
		r.done = r.told
	}
	r.put(content, thinking, rethought)
	r.call(line.Message.ToolCalls)
	r.receive(content, thinking, len(line.Message.ToolCalls) > 0)
	if r.done == nil {
		r.checkLoop(content, thinking)
	}
	if r.stopReason != "" {
		return errEnough
	}
	return nil
}

// receive resets the request's patience if a line has brought something, and closes it at the end
// of the reply.
func (r *reply) receive(content, thinking string, calls bool) {
	switch {
	case r.patience == nil:
	case r.told != nil:
		r.patience.close()
	case content != "" || thinking != "" || calls:
		r.lines++
		r.patience.reset(calls || strings.TrimSpace(content) != "")
	}
}

// isEnd reports whether a line ends the reply. Ollama sends "done"; other servers may send only the
// reason or the counters, which no other line has.
func isEnd(line api.ChatResponse) bool {
	return line.Done || line.DoneReason != "" || line.EvalCount > 0 || line.TotalDuration > 0
}

// checkLoop stops a reply that ignores its limit, or that repeats itself for ever.
func (r *reply) checkLoop(content, thinking string) {
	wrote := r.content.Len() > 0
	switch {
	case r.stopReason != "":
	case r.limit > 0 && r.lines > 2*r.limit+spareLines: // each is a token at least
		r.stop(fmt.Sprintf("Ollama exceeded the reply limit of %d tokens and was stopped. The text so far is kept.",
			r.limit))
		if !wrote {
			r.stopEnding = EndThinkingOnly
		}
	case content != "" && r.loops.add(content):
		r.stop("The model repeated the same passage, so the reply was stopped. The text so far is kept. Regenerate " +
			"it, or raise the repeat penalty.")
		r.stopEnding = EndRepeat
	case thinking != "" && r.thinkingLoops.add(thinking):
		r.stop("The model repeated the same passage in its thinking, so it was stopped. Raise the repeat penalty, or " +
			r.thinkLess() + ".")
		if r.stopEnding = EndThinkingOnly; wrote {
			r.stopEnding = EndRepeat
		}
	}
}

// count updates the length of the run of equal pieces at the end. The server compares without
// surrounding space, so this does too.
func (r *reply) count(piece string) {
	if piece == "" {
		return
	}
	piece = strings.TrimSpace(piece)
	if r.run > 0 && piece == r.last {
		r.run++
		return
	}
	r.last, r.run = piece, 1
}

// put stores new text and passes it on, up to the limits. rethought turns the content so far into
// thoughts.
func (r *reply) put(content, thinking string, rethought bool) {
	if rethought {
		r.thinking.WriteString(r.content.String())
		r.content.Reset()
	}
	thinking = r.fit(thinking, maxThinking-r.thinking.Len(), "The model's thinking exceeded %d KiB and was stopped.",
		maxThinking)
	content = r.fit(content, maxContent-r.content.Len(), "The reply exceeded %d KiB and was stopped.", maxContent)
	if content == "" && thinking == "" && !rethought {
		return
	}
	r.content.WriteString(content)
	r.thinking.WriteString(thinking)
	if r.onDelta != nil {
		r.onDelta(Delta{Content: content, Thinking: thinking, Rethought: rethought})
	}
}

// fit cuts s to at most room bytes, between characters, and stops the reply if it had to cut.
func (r *reply) fit(s string, room int, why string, most int) string {
	if len(s) <= room {
		return s
	}
	r.stop(fmt.Sprintf(why, most>>10))
	return text.Truncate(s, room)
}

// stop records why no more text is accepted.
func (r *reply) stop(why string) { r.stopReason = cmp.Or(r.stopReason, why) }

// result ends the reply. err is the library's error of the stream.
func (r *reply) result(c *Client, parent context.Context, req Request, k *call, err error) (Result, error) {
	if r.done == nil {
		content, thinking := r.split.flush()
		r.put(content, thinking, false)
		r.done = r.told
	}
	res := Result{Content: r.content.String(), Thinking: r.thinking.String(), Calls: r.calls}
	if d := r.done; d != nil {
		res.DoneReason = clip(d.DoneReason)
		res.PromptTokens, res.ReplyTokens = max(d.PromptEvalCount, 0), max(d.EvalCount, 0)
		res.Load, res.PromptEval = d.LoadDuration, d.PromptEvalDuration
		res.Eval, res.Total = d.EvalDuration, d.TotalDuration
	}
	switch {
	case r.stopReason != "":
		res.Ending, res.Fault = cmp.Or(r.stopEnding, EndLength), r.stopReason
	case r.done != nil:
		res.Ending, res.Fault = doneEnding(res, req.Options, r.thinkLess())
	case parent.Err() != nil:
		res.Ending = EndStopped
	case r.seen == 0:
		res.Cause = r.emptyError(c, parent, req.Model, k, err)
		res.Ending, res.Fault = EndError, ErrorText(res.Cause)
		return res, res.Cause
	default:
		res.Cause = c.fail(parent, "chat", req.Model, k, err)
		res.Ending, res.Fault = r.oddEnding(k.w, res.Cause, err)
	}
	return res, nil
}

// emptyError returns the reason why no reply began.
func (r *reply) emptyError(c *Client, parent context.Context, model string, k *call, err error) error {
	if err == nil && k.w.end == io.EOF && k.w.status == http.StatusOK && k.w.read > 0 {
		err = errNoReply
	}
	return c.fail(parent, "chat", model, k, err)
}

// thinkLess returns advice about a model that thinks too much, as part of a sentence.
func (r *reply) thinkLess() string {
	switch {
	case !r.announced:
		return "use another model: this one writes its thinking into its replies, and no setting turns that off"
	case r.mustThink, r.think == ThinkOff, r.think == ThinkMedium, r.think == ThinkHigh:
		return `set think to "low": this model always thinks`
	case r.think == ThinkLow:
		return "use another model: this one cannot think less"
	}
	return "turn thinking off"
}

// doneEnding judges a reply that the server declared done. less is the advice about thinking.
func doneEnding(res Result, o Options, less string) (Ending, string) {
	empty := strings.TrimSpace(res.Content) == "" && len(res.Calls) == 0
	switch {
	case empty && res.Thinking != "" && res.DoneReason == "length":
		return EndThinkingOnly, fmt.Sprintf("The model was still thinking when the reply limit of %d tokens was "+
			"reached. Allow longer replies, or %s.", o.NumPredict, less)
	case empty && res.Thinking != "":
		return EndThinkingOnly, "The model only thought and wrote no reply. Try again, or " + less + "."
	case empty:
		return EndComplete, "The model ended its reply without writing anything. Try again."
	case res.DoneReason == "length" && res.ReplyTokens >= o.NumPredict:
		return EndLength, fmt.Sprintf("The reply reached its limit of %d tokens. Continue it, or allow longer replies.",
			o.NumPredict)
	case res.DoneReason == "length":
		return EndLength, fmt.Sprintf("The reply reached the end of the model's context of %d tokens. Raise the "+
			"context size, or shorten the prompt.", o.NumCtx)
	}
	return EndComplete, ""
}

// ownText returns the text of an Error without its kind.
func ownText(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Text
	}
	return ""
}

// oddEnding classifies a stream that ended, with a cause, before the server declared it done.
func (r *reply) oddEnding(w *watch, cause, err error) (Ending, string) {
	const kept = " The text so far is kept."
	switch {
	case errors.Is(cause, ErrStalled) && w.patience.silent():
		return EndDied, "Ollama went silent in the middle of the reply, so it was stopped." + kept +
			" Try again; if it stays silent, restart Ollama."
	case errors.Is(cause, ErrStalled) && r.content.Len() == 0:
		return EndThinkingOnly, fmt.Sprintf("The model thought for %s without writing anything, so it was stopped. "+
			"Raise ollama.give_up_after, or %s.", formatDuration(w.patience.progress), r.thinkLess())
	case errors.Is(cause, ErrStalled):
		return EndDied, fmt.Sprintf("The model wrote nothing more for %s, so it was stopped.",
			formatDuration(w.patience.progress)) + kept + " Continue it, or raise ollama.give_up_after."
	case errors.Is(w.end, errTooMuch):
		return EndLength, fmt.Sprintf("Ollama sent more than %d MiB for one reply and was stopped.", maxBody>>20) + kept
	case w.broken():
		return EndDied, "The connection to Ollama was lost in the middle of the reply." + kept +
			" Check that it is still running, then try again."
	case err == nil && w.end == nil: // the library gives up on lines of 8 MB
		return EndError, "Ollama sent a line that is too long to read." + kept + " Try again."
	case err != nil && errors.Is(cause, ErrNotOllama):
		return EndError, "Part of the reply cannot be read" + quote(": ", ownText(cause)) + "." + kept + " Try again."
	case err != nil:
		return EndError, "Ollama reported an error in the middle of the reply" + quote(": ", err.Error()) + "." +
			kept + " Try again."
	case r.run >= repeatLimit:
		return EndRepeat, "The model repeated itself, so Ollama stopped the reply." + kept +
			" Regenerate it, or raise the repeat penalty."
	}
	return EndUnfinished, "Ollama ended the reply before it was finished; perhaps it was shut down." +
		kept + " Try again."
}
