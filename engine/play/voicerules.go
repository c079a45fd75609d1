package play

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How much of the play a reply is compared with.
const (
	maxSaid  = 20 // replies before it
	maxHeard = 12 // messages that determine the scripts of the play
)

// VoiceChecks returns the names of the checks on a reply other than phrase lists, as used in the
// settings and in chats.
func VoiceChecks() []string {
	return []string{"backtrack", "user", "speaker", "repeat", "language", "lists", "ends"}
}

// voiceOf returns the voice rules for replies of a chat: those of the settings, with the chat's own
// values on top.
func voiceOf(v config.Voice, c storage.Chat) config.Voice {
	for name, is := range map[string]*bool{"backtrack": &v.Backtrack, "user": &v.User, "speaker": &v.Speaker,
		"repeat": &v.Repeat, "language": &v.Language, "ends": &v.Ends} {
		if on, said := c.Voice.Watch[name]; said {
			*is = on
		}
	}
	if on, said := c.Voice.Watch["lists"]; said && !on {
		v.Items = 0
	} else if said && v.Items == 0 {
		v.Items = usualItems
	}
	switch c.Voice.Length {
	case "":
	case lengthAny:
		v.Length = ""
	default:
		v.Length = c.Voice.Length
	}
	return v
}

// lengthOf returns the wanted length of a reply, "" if an act about the length replaces it.
func lengthOf(v config.Voice, s storage.Steer) string {
	if slices.Contains(s.Acts, actShorter) || slices.Contains(s.Acts, actLonger) {
		return ""
	}
	return v.Length
}

const (
	usualItems = 20
	lengthAny  = "any"
)

// activeSets returns which lists are active in a chat, by name.
func activeSets(v config.Voice, c storage.Chat) map[string]bool {
	on := map[string]bool{config.SetMine: true, config.SetCard: true}
	set := func(name string, is bool) {
		if name != config.SetAuto {
			on[name] = is
			return
		}
		for _, lang := range phrases.Languages() {
			on[lang] = is
		}
	}
	for _, name := range v.Sets {
		set(name, true)
	}
	if is, said := c.Voice.Sets[config.SetAuto]; said {
		set(config.SetAuto, is)
	}
	for name, is := range c.Voice.Sets {
		if name != config.SetAuto {
			set(name, is)
		}
	}
	return on
}

// rulesOf returns the phrases of all active lists, list by list.
func rulesOf(v config.Voice, c storage.Chat, card []string, files []phraseFile) (rules []voice.Rule) {
	on := activeSets(v, c)
	own := func(name string, list []string) {
		for _, text := range list {
			if on[name] {
				rules = append(rules, voice.Rule{Text: text, Set: name})
			}
		}
	}
	own(config.SetMine, v.Phrases)
	own(config.SetCard, card)
	for _, name := range phrases.Languages() {
		if on[name] {
			rules = append(rules, voice.Listed(name, phrases.Bundled(name))...)
		}
	}
	for _, f := range files {
		if on[f.name] {
			rules = append(rules, f.rules...)
		}
	}
	return rules
}

// voiceRules returns the rules for watching the reply of a turn, or a text written for the user,
// and reports whether it should end with a sentence. Template signs are always looked for.
func (svc *Service) voiceRules(t *liveTurn, p preparedRequest) (r voice.Rules, ends bool) {
	c := p.moment.Chat
	v := proposedVoice(voiceOf(svc.core.Settings().Voice, c), t)
	who := svc.speakersAt(c, p.moment)
	r.Card, r.TemplateTokens = who.card, p.signs
	if !v.Backtrack {
		return r, v.Ends
	}
	writes := who.speaker
	if mine := cmp.Or(who.user, "User"); t.mode == prompt.Impersonate && !strings.EqualFold(who.speaker, mine) {
		who.others, writes = append(who.others, who.speaker), mine
	}
	heard := promptTextsOf(p.prompt.Messages, t)
	rules := rulesOf(v, c, who.actor.Phrases, svc.ownSets())
	r.Set, r.AtSentence, r.Items = svc.sets.get(rules, v.Allowed), v.Sentence, v.Items
	if asked := r.Set.Within(userInstruction(t, p)); len(asked) > 0 { // phrases of the instruction are allowed
		r.Set = svc.sets.get(rules, slices.Concat(v.Allowed, asked))
	}
	if v.User {
		names := voice.Names(cmp.Or(strings.TrimSpace(who.user), "User"), who.speaker)
		r.Acts = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return voice.IsWord(name, heard.all) })
		r.User = slices.DeleteFunc(append(names, voice.UserLabels()...),
			func(label string) bool { return strings.EqualFold(label, who.speaker) })
	}
	if v.Speaker {
		for _, other := range who.others {
			r.Others = append(r.Others, voice.Names(other, writes)...)
		}
		r.Others = slices.DeleteFunc(r.Others, func(name string) bool { return slices.Contains(r.User, name) })
	}
	if v.Repeat {
		r.Earlier = voice.NewSaid(heard.replies)
	}
	if v.Language {
		r.Scripts = voice.Scripts(heard.newest, who.card)
	}
	r.Words = config.WordsOfLength(lengthOf(v, p.steer))
	return r, v.Ends
}

// proposedVoice returns the voice rules for the text of a turn. For the user's own line the rules
// about the user and the length do not apply. For a passage neither those about the speaker and the
// ending, and with an instruction not the language: it may ask for another one.
func proposedVoice(v config.Voice, t *liveTurn) config.Voice {
	if t.isReply() {
		return v
	}
	v.User, v.Length = false, ""
	if t.passage != nil {
		v.Speaker, v.Ends = false, false
		v.Language = v.Language && t.passage.Instruction == ""
	}
	return v
}

// userInstruction returns the user's own instructions for a turn.
func userInstruction(t *liveTurn, p preparedRequest) string {
	wish := t.nudge + "\n" + t.outline + "\n" + p.steer.Beat
	if t.passage != nil {
		wish += "\n" + t.passage.Instruction
	}
	return wish
}

// speakers holds the names and data of those who play in a moment.
type speakers struct {
	actor   storage.Actor
	card    string // text of the speaker's card
	speaker string
	user    string
	others  []string
}

func (svc *Service) speakersAt(c storage.Chat, m chats.Viewpoint) (p speakers) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error { // on failure there are no names to look for
		who, persona := svc.chats.Cast(tx, c)
		if m.Speaker != "" && m.Speaker != c.Character {
			if other, err := storage.Characters.Get(tx, m.Speaker); err == nil {
				who = other
			}
		}
		p.actor, p.speaker, p.user = who.Actor, who.Card.CharName(), persona.Name
		p.card = strings.Join([]string{who.Card.Description, who.Card.Personality, who.Card.Scenario,
			who.Card.FirstMessage}, "\n")
		if chats.IsGroup(c) {
			for _, name := range svc.chats.NamesOf(tx, chats.Members(c)) {
				if name != "" && name != p.speaker {
					p.others = append(p.others, name)
				}
			}
		}
		return nil
	})
	return p
}

// promptTexts holds the texts of a prompt that show how the play sounds, the newest first.
type promptTexts struct {
	replies []string
	newest  string // messages of everybody
	all     string // all of the prompt
}

// promptTextsOf returns the texts of a prompt. The user's own line is compared with what everybody
// said. A rewritten passage is not compared with replies, as it repeats its old text.
func promptTextsOf(msgs []prompt.Message, t *liveTurn) (h promptTexts) {
	var newest, all strings.Builder
	mine := t.mode == prompt.Impersonate
	anew := t.passage != nil && !t.passage.IsInsertion()
	if t.passage != nil {
		newest.WriteString(t.passage.Text + "\n")
	}
	if n := len(msgs); !t.isReply() && n > 0 {
		msgs = msgs[:n-1] // the request itself
	}
	for i := len(msgs) - 1; i >= 0; i-- {
		m := msgs[i]
		all.WriteString(m.Content + "\n")
		said := m.Role == string(storage.Assistant) || mine && m.Role == string(storage.User)
		if said && !anew && !(t.continued != nil && i == len(msgs)-1) && len(h.replies) < maxSaid {
			h.replies = append(h.replies, m.Content)
		}
		if m.Role != string(storage.System) && len(msgs)-i <= maxHeard {
			newest.WriteString(m.Content + "\n")
		}
	}
	h.newest, h.all = newest.String(), all.String()
	return h
}

// setCache keeps the most recently compiled lists, so that thousands of phrases are not compiled
// again on every turn.
type setCache struct {
	mu   sync.Mutex
	list []compiledSet
}

type compiledSet struct {
	key string
	set *voice.Set
}

const maxCompiledSets = 4

func (s *setCache) get(rules []voice.Rule, allowed []string) *voice.Set {
	if len(rules) == 0 {
		return nil
	}
	var b strings.Builder
	for _, r := range rules {
		b.WriteString(r.Set + "\x00" + r.Text + "\x01")
	}
	b.WriteString("\x02" + strings.Join(allowed, "\x01"))
	key := core.ContentHash(b.String())
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.list, func(c compiledSet) bool { return c.key == key }); i >= 0 {
		return s.list[i].set
	}
	set, _ := voice.Compile(rules, allowed) // faults of rules are shown with the lists
	s.list = append([]compiledSet{{key, set}}, s.list...)
	s.list = s.list[:min(len(s.list), maxCompiledSets)]
	return set
}
