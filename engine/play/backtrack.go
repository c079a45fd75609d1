package play

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// holdBack is how long text is held back that may become unwanted.
	holdBack = 300 * time.Millisecond
	// raisedPieces is how many pieces are requested with a raised temperature before the model
	// continues with its own, and raiseStep is how much each try raises it.
	raisedPieces   = 12
	raiseStep      = 0.15
	maxTemperature = 1.6
	// minTemperature is the temperature below which a new seed alone changes nothing.
	minTemperature = 0.3
	// maxEmptyReplies is how often a model is asked again if it ends in the middle of a sentence
	// and adds no word.
	maxEmptyReplies = 2
	// minLeft is the least number of tokens that a continued reply may have.
	minLeft = 16
)

// stopCause is why a request was ended before the model had.
type stopCause int

const (
	stopNone     stopCause = iota
	stopRejected           // the text that came is not wanted
	stopRaised             // enough text came with a raised temperature
	stopThinking           // the model thinks instead of continuing
	stopRestart            // the model begins another reply instead of continuing
)

// backtracker filters the text between the model and the stream. It holds back text that may become
// unwanted. If it does, the backtracker ends the request, cuts the reply before that text and has
// the model continue from there: the prompt stays the same to its end, so the server has it in its
// cache.
type backtracker struct {
	svc           *Service
	t             *liveTurn
	p             preparedRequest
	s             *stream
	endAtSentence bool // if the limit cuts a reply, it ends with a sentence

	noThink      bool // the model thinks when it should continue, unless thinking is switched off
	restarts     bool // the model begins again when it should continue
	emptyReplies int
	attempt      int // try at the current cut, 0 for the model's own temperature

	// The turn's mu guards all fields below.
	voiceWatch   *voice.Filter
	initialLen   int // bytes of the message before this turn
	emitted      int // bytes handed on
	cancel       context.CancelFunc
	stopped      stopCause
	closed       bool // no more text is accepted
	start        requestStart
	continues    bool // the request continues a text
	pieces       int  // received in the request
	hasText      bool // some of it is in the reply
	repeatedText string
	thinking     strings.Builder
	heldSpace    string
	cutAt        time.Time // when the reply was cut, until the next word comes
	arrivals     []arrival
	timer        *time.Timer
}

// requestStart is the state of the reply when a request was made.
type requestStart struct {
	bytes, rejected int    // bytes of the reply, and number of its records
	gap             string // white space behind the reply
}

// arrival is the time when the bytes up to upto had arrived.
type arrival struct {
	upto, pieces int
	at           time.Time
}

// generate asks for the reply of a turn, and removes unwanted text from it.
func (svc *Service) generate(t *liveTurn, p preparedRequest) (ollama.Result, error) {
	s := &stream{svc: svc, t: t}
	defer s.flush()
	rules, ends := svc.voiceRules(t, p)
	stood := ""
	if t.continued != nil {
		stood = t.continued.Content
	}
	s.storable, s.final = len(stood), len(stood)
	b := &backtracker{svc: svc, t: t, p: p, s: s, endAtSentence: ends, voiceWatch: voice.New(rules, stood),
		initialLen: len(stood), emitted: len(stood)}
	svc.mu.Lock()
	b.noThink = svc.thinksAgain[p.request.Model]
	svc.mu.Unlock()
	b.restarts = svc.modelRestarts(p)
	return b.run()
}

// run makes a request, and further ones from where the reply was cut, until the reply is complete.
func (b *backtracker) run() (ollama.Result, error) {
	req := b.p.request
	var sum ollama.Result
	for asked := 0; ; asked++ {
		began := time.Now()
		res, err := b.ask(req)
		b.add(&sum, res, req, asked, time.Since(began))
		more := false
		if b.t.ctx.Err() != nil {
			b.truncate(b.voiceWatch.Certain(), "")
			sum.Ending = ollama.EndStopped
		} else {
			more = b.next(&sum, res, err)
		}
		if !more {
			b.recordAllowed()
			sum.ReplyTokens = max(0, sum.ReplyTokens-b.t.rejectedTokens())
			sum.Content = b.voiceWatch.Piece(b.initialLen, b.voiceWatch.Len())
			if err != nil && b.voiceWatch.Len() == b.initialLen && b.t.ctx.Err() == nil {
				return res, err
			}
			return sum, err
		}
		req = b.continuation()
	}
}

// ask makes one request.
func (b *backtracker) ask(req ollama.Request) (ollama.Result, error) {
	ctx, cancel := context.WithCancel(b.t.ctx)
	defer cancel()
	b.t.mu.Lock()
	b.cancel, b.stopped, b.closed, b.pieces = cancel, stopNone, false, 0
	b.hasText, b.repeatedText = false, ""
	b.start = requestStart{b.voiceWatch.Len(), len(b.t.msg.Rejected), b.heldSpace}
	b.t.wait.start(b.svc.core.Config.Now())
	b.t.mu.Unlock()
	take, end := b.receive, func() {}
	if b.voiceWatch.Len() == 0 {
		take, end = b.p.withoutMark(b.receive)
	}
	res, err := b.svc.models.Ollama.Chat(ctx, req, take)
	end()
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.closed = true; b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	// The reply ended before it was another text.
	if b.stopped == stopNone && b.repeatedText != "" && strings.TrimSpace(b.repeatedText) != b.voiceWatch.Text() {
		b.voiceWatch.Add(joined(b.voiceWatch.Text(), b.heldSpace, b.repeatedText))
		b.heldSpace = ""
	}
	return res, err
}

// add adds a request's cost and result to the sum of all requests.
func (b *backtracker) add(sum *ollama.Result, res ollama.Result, req ollama.Request, asked int, took time.Duration) {
	sum.Thinking += res.Thinking
	sum.Ending, sum.Fault, sum.Cause, sum.DoneReason = res.Ending, res.Fault, res.Cause,
		cmp.Or(res.DoneReason, sum.DoneReason)
	sum.ReplyTokens += cmp.Or(res.ReplyTokens, b.pieces)
	sum.Load += res.Load
	sum.PromptEval += res.PromptEval
	sum.Eval += res.Eval
	sum.Total += cmp.Or(res.Total, took)
	if res.PromptTokens > 0 {
		sum.PromptTokens = res.PromptTokens
		if n := len(req.Messages); asked > 0 && n > len(b.p.request.Messages) && b.p.meter != nil {
			sum.PromptTokens = max(1, res.PromptTokens-b.p.meter.Count(req.Messages[n-1].Content))
		}
	}
	if asked == 0 && res.PromptTokens == 0 {
		b.t.noReadTime = true // the server did not report how long it took to read the prompt
	}
	if req.Options.NumPredict != b.p.request.Options.NumPredict {
		sum.Fault = strings.Replace(sum.Fault, strconv.Itoa(req.Options.NumPredict),
			strconv.Itoa(b.p.request.Options.NumPredict), 1)
	}
}

// next handles the end of a request, and reports whether to make another one.
func (b *backtracker) next(sum *ollama.Result, res ollama.Result, err error) (more bool) {
	switch b.stopped {
	case stopRejected:
		return b.backtrack(sum)
	case stopRaised:
		b.attempt = 0
		return true
	case stopRestart:
		return b.handleRestart(sum)
	case stopThinking:
		b.noThink = true
		b.svc.mu.Lock()
		if b.svc.thinksAgain == nil {
			b.svc.thinksAgain = map[string]bool{}
		}
		b.svc.thinksAgain[b.p.request.Model] = true
		b.svc.mu.Unlock()
		return true
	}
	switch {
	case err != nil || res.Ending != ollama.EndComplete && res.Ending != ollama.EndLength &&
		res.Ending != ollama.EndThinkingOnly:
		b.truncate(b.voiceWatch.Certain(), "")
		return false
	case res.Ending == ollama.EndLength:
		if f := b.voiceWatch.Finish(); f != nil && f.Cut == b.initialLen && !f.Ends { // nothing would stay
			return b.backtrack(sum)
		}
		b.trimToSentence(sum)
		return false
	}
	silent := b.pieces == 0
	if b.voiceWatch.Finish() != nil {
		return b.backtrack(sum)
	}
	if silent && b.voiceWatch.Len() == b.initialLen && b.t.backtracks() > 0 {
		if b.emptyReplies++; b.emptyReplies <= maxEmptyReplies {
			b.voiceWatch.Rescan()
			b.attempt++
			return true
		}
	}
	if b.continues && silent {
		if text := b.voiceWatch.Piece(b.initialLen, b.voiceWatch.Len()); !voice.Whole(text) {
			if b.emptyReplies++; b.emptyReplies <= maxEmptyReplies && !b.restarts {
				b.voiceWatch.Rescan()
				b.attempt++
				return true
			}
			b.trimToSentence(sum)
		}
		sum.Ending, sum.Fault, sum.Cause = ollama.EndComplete, "", nil
	}
	b.truncate(b.voiceWatch.Len(), "")
	return false
}

// backtrack cuts the reply, and reports whether the model should continue.
func (b *backtracker) backtrack(sum *ollama.Result) (more bool) {
	f := *b.voiceWatch.Cut()
	taken := b.voiceWatch.Piece(f.Cut, b.voiceWatch.Len())
	b.t.mu.Lock()
	kept, gap := b.voiceWatch.Back()
	b.heldSpace, b.attempt, b.cutAt = gap, f.Try, time.Now()
	b.emitted = min(b.emitted, len(kept))
	b.arrivals = nil
	b.t.mu.Unlock()
	b.t.reject(rejectedOf(f, taken), b.count(taken))
	b.t.mu.Lock()
	b.s.cut(len(kept))
	b.t.mu.Unlock()
	if f.Ends {
		b.truncate(len(kept), "")
		if f.Kind == voice.Control && strings.TrimSpace(kept) == "" {
			sum.Ending, sum.Fault = ollama.EndComplete, "The model wrote only tokens of its template. Try again; if "+
				"this happens again, the model's template is wrong."
			return false
		}
		sum.Ending, sum.DoneReason, sum.Fault, sum.Cause = ollama.EndComplete, cmp.Or(sum.DoneReason, "stop"), "", nil
		return false
	}
	switch {
	case b.restarts && b.t.continued != nil:
		b.trimToSentence(sum)
		return false
	case b.restarts:
		b.restart()
		return true
	}
	b.t.mu.Lock()
	b.emitReady()
	b.t.mu.Unlock()
	return true
}

// recordAllowed records the unwanted text that stays in the reply.
func (b *backtracker) recordAllowed() {
	for _, f := range b.voiceWatch.Found() {
		if f.Allowed && f.At < b.voiceWatch.Len() {
			b.t.reject(rejectedOf(f, ""), 0)
		}
	}
}

func (b *backtracker) count(text string) int {
	if b.p.meter == nil {
		return 0
	}
	return b.p.meter.Count(text)
}

// trimToSentence ends a reply that would break off at its last full sentence. The text beyond it is
// kept as a record.
func (b *backtracker) trimToSentence(sum *ollama.Result) {
	for b.voiceWatch.Finish() != nil { // remove unwanted text first
		f := *b.voiceWatch.Cut()
		taken := b.voiceWatch.Piece(f.Cut, b.voiceWatch.Len())
		b.voiceWatch.Back()
		b.t.reject(rejectedOf(f, taken), b.count(taken))
	}
	text := b.voiceWatch.Text()
	at, closing := voice.LastEnd(text, b.initialLen)
	switch {
	case !b.endAtSentence || at <= b.initialLen || voice.Whole(text):
		b.truncate(len(text), "")
		return
	case strings.TrimSpace(text[at:]) != "":
		b.t.reject(storage.Rejected{Kind: string(voice.End), Text: bounded(strings.TrimSpace(text[at:]), maxBeyond),
			At: at, Ended: true}, b.count(text[at:]))
	}
	b.truncate(at, closing)
	sum.Ending, sum.Fault, sum.Cause = ollama.EndComplete, "", nil
}

// truncate keeps the first n bytes of the reply and appends closing.
func (b *backtracker) truncate(n int, closing string) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	b.voiceWatch.End(n, closing)
	b.emitted = min(b.emitted, n)
	b.s.cut(n)
	n = b.voiceWatch.Len()
	b.s.setLimits(n, n)
	if n > b.emitted {
		b.s.add(ollama.Delta{Content: b.voiceWatch.Piece(b.emitted, n)})
		b.emitted = n
	}
}

// receive processes a delta from the model. Only the goroutine that makes the request calls it.
func (b *backtracker) receive(d ollama.Delta) {
	b.t.mu.Lock()
	defer b.t.mu.Unlock()
	if b.closed {
		return
	}
	if d.Rethought {
		b.moveToThinking(d.Thinking)
		d.Thinking = ""
	}
	if d.Thinking != "" && b.t.cost.anew == 0 {
		if b.continues && !b.noThink {
			b.stop(stopThinking)
			return
		}
		if !b.continues {
			b.thinking.WriteString(d.Thinking)
			b.s.add(ollama.Delta{Thinking: d.Thinking})
		}
	}
	piece := d.Content
	if piece == "" {
		return
	}
	if b.pieces++; !b.hasText && b.continues {
		if piece = b.filterStart(piece); piece == "" {
			return
		}
	}
	if _, hot := b.temperature(); hot && b.continues && b.pieces > raisedPieces {
		if r, n := utf8.DecodeRuneInString(piece); unicode.IsSpace(r) && n < len(piece) {
			b.heldSpace = piece[:n]
			b.stop(stopRaised)
			return
		}
	}
	if b.voiceWatch.Add(piece) != nil {
		b.stop(stopRejected)
		return
	}
	b.emitReady()
}

// moveToThinking moves text from the reply to the thinking, because it turned out to be thought;
// more is further thought. It takes the reply back to the beginning of the request if the model has
// thought separately before, else to the reply's beginning, and drops the records of text rejected
// since. The caller holds t.mu.
func (b *backtracker) moveToThinking(more string) {
	n := b.start.bytes
	if b.thinking.Len() == 0 {
		n, b.start.gap, b.start.rejected, b.continues = b.initialLen, "", b.t.hadRejected, false
	}
	thought := b.voiceWatch.Piece(n, b.voiceWatch.Len()) + b.repeatedText + more
	b.voiceWatch.Rewind(n)
	b.hasText, b.heldSpace, b.repeatedText, b.emitted, b.arrivals = false, b.start.gap, "", min(b.emitted, n), nil
	b.s.cut(n)
	b.t.msg.Rejected = b.t.msg.Rejected[:min(b.start.rejected, len(b.t.msg.Rejected))]
	b.thinking.WriteString(thought)
	b.s.add(ollama.Delta{Thinking: thought})
}

// stop ends the request. The caller holds t.mu.
func (b *backtracker) stop(why stopCause) {
	b.stopped, b.closed = why, true
	b.cancel()
}

// emitReady emits the text that may be shown. The caller holds t.mu.
func (b *backtracker) emitReady() {
	b.emitUpTo(b.voiceWatch.Show())
	if b.emitted >= b.voiceWatch.Len() {
		b.arrivals = b.arrivals[:0]
		return
	}
	b.arrivals = append(b.arrivals, arrival{b.voiceWatch.Len(), b.pieces, time.Now()})
	b.scheduleRelease()
}

// emitUpTo emits the reply up to byte n. The caller holds t.mu.
func (b *backtracker) emitUpTo(n int) {
	firm := b.voiceWatch.Final()
	if b.restarts { // it may be thrown away as a whole
		firm = b.initialLen
	}
	b.s.setLimits(b.voiceWatch.Certain(), firm)
	if n > b.emitted {
		b.s.add(ollama.Delta{Content: b.voiceWatch.Piece(b.emitted, n)})
		b.emitted = n
	}
}

// scheduleRelease starts a timer that releases text that is held back for too long. The caller
// holds t.mu.
func (b *backtracker) scheduleRelease() {
	i := slices.IndexFunc(b.arrivals, func(a arrival) bool { return a.upto > b.emitted })
	if i < 0 {
		return
	}
	if b.arrivals = b.arrivals[i:]; b.timer != nil {
		return
	}
	b.timer = time.AfterFunc(max(holdBack-time.Since(b.arrivals[0].at), time.Millisecond), func() {
		defer crash.Recover("filtered text of a reply")
		b.t.mu.Lock()
		defer b.t.mu.Unlock()
		if b.timer = nil; !b.closed {
			b.releaseOverdue()
		}
	})
}

// releaseOverdue releases text that was held back for too long, but never a whole phrase. If none
// can be released and enough pieces have come since, it judges matches that might still become
// longer.
func (b *backtracker) releaseOverdue() {
	n, waited := 0, 0
	for _, a := range b.arrivals {
		if time.Since(a.at) < holdBack {
			break
		}
		if n = a.upto; waited == 0 {
			waited = b.pieces - a.pieces
		}
	}
	if n = min(n, b.voiceWatch.Releasable()); n > b.emitted {
		b.emitUpTo(n)
	} else if waited >= 3 && b.voiceWatch.Overdue() != nil {
		b.stop(stopRejected)
		return
	}
	if i := slices.IndexFunc(b.arrivals, func(a arrival) bool { return time.Since(a.at) < holdBack }); i > 0 {
		b.arrivals = b.arrivals[i:]
		b.scheduleRelease()
	}
}
