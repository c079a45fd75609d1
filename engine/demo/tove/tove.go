// Package tove is the play of --demo, which needs no model: an evening with the built-in
// character, stored in files. The lines are in text. The answers to each job are in answers, by the
// newest reply of the play: answers/after_turn/06.json is the answer to the first request of that
// job after the sixth reply, 06-2.json the answer to the second. If a file is missing, the one
// before it is used: of the newest reply that has any, the one for the newest request.
package tove

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

//go:embed text answers wishes.json
var files embed.FS

// wishes are the picture parts of the answers of the pass after a turn, by a text in the user's
// line.
var wishes = sync.OnceValue(func() (list map[string]json.RawMessage) {
	data, err := files.ReadFile("wishes.json")
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		panic(fmt.Sprintf("tove: %v", err)) // the file is part of the program
	}
	return list
})

// Character is the name of the character whose part is written down.
const Character = "Tove"

// lines are the files below text, page by page.
type lines struct {
	replies      []string // in the order of the story
	swipes       []string // instead of a reply
	others       []string // of any other character
	continuation []string // of a reply
	impersonate  []string // of the user
	rewrite      []string // of a passage
}

var text = sync.OnceValue(func() lines {
	return lines{
		pages("replies"), pages("swipes"), pages("others"), pages("continue"), pages("impersonate"), pages("rewrite"),
	}
})

func pages(name string) []string {
	data, err := files.ReadFile("text/" + name + ".md")
	if err != nil {
		panic(fmt.Sprintf("tove: %v", err)) // the file is part of the program
	}
	list := strings.Split(string(data), "\n=====\n")
	for i, p := range list {
		list[i] = strings.Trim(p, "\n")
	}
	return list
}

// Length returns the number of replies of the play.
func Length() int { return len(text().replies) }

// Play is one run of the play. It is safe for concurrent use.
type Play struct {
	mu       sync.Mutex
	turn     int           // the newest reply, from 1; 0 before the first
	asked    map[asked]int // requests
	examined int           // the reply that the questions of a recall test were last asked about
}

// asked is a job and the newest reply at its request.
type asked struct {
	job  demo.Job
	turn int
}

// New begins the play.
func New() *Play { return &Play{asked: map[asked]int{}} }

// Options returns the options of demo servers that give this play.
func (p *Play) Options() demo.Options {
	return demo.Options{Script: p.Reply, Scripted: p.Answer}
}

// Reply returns the next line of a play without the answers to jobs. It implements
// demo.Script.
func Reply(messages []storage.Node, take int) string {
	_, reply := next(messages, take)
	return reply
}

// Reply implements demo.Script. It continues the play after the newest of its replies in
// messages, whatever the user writes.
func (p *Play) Reply(messages []storage.Node, take int) string {
	turn, reply := next(messages, take)
	if turn > 0 {
		p.mu.Lock()
		p.turn = turn
		p.mu.Unlock()
	}
	return reply
}

// Answer implements demo.Scripted. A request is about the newest reply in its last message, or
// else the newest in any message: a job may run when the play has gone on. If no message contains
// one, and after the end, it is about the newest reply of the play. A request that names nothing of
// the play either is about another story.
func (p *Play) Answer(job demo.Job, messages []storage.Node) (json.RawMessage, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := shown(messages[max(0, len(messages)-1):])
	switch {
	case job == demo.QuestionsJob:
		p.examined = turn
	case job == demo.AnswersJob && p.examined > 0:
		turn = p.examined // the questions were about that reply
	}
	if turn == 0 {
		turn = shown(messages)
	}
	if turn == 0 && !named(messages) && job != demo.AskJob { // a question shows a few facts only
		return nil, false
	}
	if turn == 0 || p.turn > Length() && turn == Length() {
		turn = p.turn
	}
	of := asked{job, turn}
	p.asked[of]++
	data, ok := answer(job, place{turn, p.asked[of]})
	if ok && job == demo.AfterTurnJob {
		data = withWish(data, messages)
	}
	return data, ok
}

// withWish returns the answer of a pass, with the picture in it that the user's last line asks for.
func withWish(answer json.RawMessage, messages []storage.Node) json.RawMessage {
	said := slices.DeleteFunc(slices.Clone(messages[:len(messages)-1]),
		func(m storage.Node) bool { return m.Role != storage.User })
	if len(said) == 0 {
		return answer
	}
	line := strings.ToLower(said[len(said)-1].Content)
	for holds, wish := range wishes() {
		var fields map[string]json.RawMessage
		if !strings.Contains(line, holds) || json.Unmarshal(answer, &fields) != nil {
			continue
		}
		fields["picture"] = wish
		if data, err := json.Marshal(fields); err == nil {
			return data
		}
	}
	return answer
}

// named reports whether messages name the character of the play, or its theatre.
func named(messages []storage.Node) bool {
	return slices.ContainsFunc(messages, func(m storage.Node) bool {
		return strings.Contains(m.Content, Character) || strings.Contains(m.Content, "Halfmoon")
	})
}

// shown returns the newest reply of the play in the newest message that shows the beginning of
// one, 0 for none.
func shown(messages []storage.Node) int {
	for _, m := range slices.Backward(messages) {
		content := strings.Join(strings.Fields(m.Content), " ")
		for i, reply := range slices.Backward(text().replies) {
			begins := []rune(strings.Join(strings.Fields(reply), " "))
			if strings.Contains(content, string(begins[:min(len(begins), listed)])) {
				return i + 1
			}
		}
	}
	return 0
}

// listed is the number of runes by which a reply is recognized: a list of messages shows at least
// as many of each.
const listed = 30

// place is a reply of the play and the request of a job after it, both from 1.
type place struct{ turn, request int }

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.turn, o.turn), cmp.Compare(p.request, o.request))
}

// answer reads the answer to a job at a place, or the newest before it: of the replies
// so far the newest one's, and of the requests so far the newest one's. Requests are
// counted from 1 after each reply, so that steps which follow each other find their
// answers after any later reply too.
func answer(job demo.Job, at place) (json.RawMessage, bool) {
	dir := path.Join("answers", string(job))
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	best, name := place{}, ""
	for _, e := range entries {
		p := place{request: 1}
		if n, _ := fmt.Sscanf(e.Name(), "%d-%d.json", &p.turn, &p.request); n == 0 {
			continue
		}
		if p.turn <= at.turn && p.request <= at.request && (name == "" || p.compare(best) > 0) {
			best, name = p, e.Name()
		}
	}
	if name == "" {
		return nil, false
	}
	data, err := files.ReadFile(path.Join(dir, name))
	return data, err == nil
}

// next returns the next reply and its number in the play, 0 if it does not belong to the play.
func next(messages []storage.Node, take int) (turn int, reply string) {
	t := text()
	said := slices.DeleteFunc(slices.Clone(messages), func(m storage.Node) bool { return m.Role != storage.Assistant })
	if n := len(messages); n > 0 {
		last := messages[n-1]
		switch {
		case last.Role == storage.Assistant:
			return 0, rest(last.Content, len(said)+take)
		case asks(last.Content, "chat/continue"):
			return 0, pick(t.continuation, len(said)+take)
		case asks(last.Content, "chat/impersonate"):
			return 0, pick(t.impersonate, len(said)+take)
		case asks(last.Content, "chat/rewrite"):
			return 0, "<passage>" + unsaid(t.rewrite, last.Content, take) + "</passage>"
		}
	}
	if !isTove(messages) {
		return 0, pick(t.others, max(len(said)-1, 0)+take)
	}
	turn = following(said)
	if take > 0 || turn >= len(t.replies) {
		return min(turn+1, len(t.replies)+1), pick(t.swipes, turn+take)
	}
	return turn + 1, t.replies[turn]
}

// asks reports whether a message is the built-in instruction of that name. Requests for free text
// have no schema from which the job could be derived.
func asks(message, prompt string) bool {
	begins, _, _ := strings.Cut(prompts.BuiltIn().Text(prompt), "{{")
	begins = begins[:min(len(begins), 40)]
	return begins != "" && strings.Contains(message, begins)
}

// isTove reports whether a request is for the character of the play.
func isTove(messages []storage.Node) bool {
	return slices.ContainsFunc(messages, func(m storage.Node) bool {
		return m.Role == storage.System && strings.Contains(m.Content, Character)
	})
}

// following returns the number of the play's replies so far. The newest reply that belongs to the
// play determines it; if there is none, the number of replies does. The greeting does not count.
func following(said []storage.Node) int {
	for since := range said {
		if n := shown(said[len(said)-1-since:][:1]); n > 0 {
			return n + since
		}
	}
	return max(len(said)-1, 0)
}

// rest goes on from the beginning of a reply, or of anything else.
func rest(begun string, n int) string {
	t := text()
	begun = strings.TrimRight(begun, " \n")
	for _, reply := range slices.Concat(t.replies, t.swipes, t.others, t.continuation) {
		if more, ok := strings.CutPrefix(reply, begun); ok && begun != "" && strings.TrimSpace(more) != "" {
			return more
		}
	}
	return pick(t.continuation, n)
}

func pick(list []string, n int) string { return list[n%len(list)] }

// unsaid returns the first line of a list, from index n on, that is not in a text.
func unsaid(list []string, text string, n int) string {
	for i := range list {
		if line := pick(list, n+i); !strings.Contains(text, line) {
			return line
		}
	}
	return pick(list, n)
}
