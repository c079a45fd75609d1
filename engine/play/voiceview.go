package play

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// VoiceSwitch is something that replies of a chat are watched for, or a list of phrases.
// Source is who says so: "chat" or "settings". Rules is how many phrases a list has, and Faults
// what cannot be looked for in it.
type VoiceSwitch struct {
	Name   string   `json:"name"`
	On     bool     `json:"on"`
	Source string   `json:"source"`
	Rules  int      `json:"rules,omitempty"`
	Faults []string `json:"faults,omitempty"`
}

// VoiceReply is a reply of which something was rejected, and what that has cost.
type VoiceReply struct {
	Message        storage.NodeID     `json:"message"`
	Rejected       []storage.Rejected `json:"rejected"`
	Backtracks     int                `json:"backtracks"`
	RejectedTokens int                `json:"rejected_tokens"`
	BacktrackMS    int64              `json:"backtrack_ms"`
}

// VoiceView is how replies of a chat are to sound, and what its last ones were not let say,
// the newest first.
type VoiceView struct {
	Chat         storage.ChatID `json:"chat"`
	Language     string         `json:"language"`
	Watch        []VoiceSwitch  `json:"watch"`
	Sets         []VoiceSwitch  `json:"sets"`
	Length       string         `json:"length"` // "any" where nothing is said of it
	LengthSource string         `json:"length_source"`
	Allowed      []string       `json:"allowed"`
	Replies      []VoiceReply   `json:"replies"`
}

const (
	fromChat     = "chat"
	fromSettings = "settings"
	// voiceReplies is of how many replies is told what they were not let say.
	voiceReplies = 20
)

// Voice tells how replies of a chat are to sound.
func (svc *Service) Voice(chat storage.ChatID) (VoiceView, error) {
	c, path, err := svc.chats.Path(chat, 2*voiceReplies)
	if err != nil {
		return VoiceView{}, failure.Fail("voice", err)
	}
	v := voiceOf(svc.core.Settings().Voice, c)
	m, _ := svc.nextMoment(c)
	who := svc.played(c, m)
	var msgs []script.Message
	out := VoiceView{Chat: chat, Length: lengthAny, LengthSource: fromSettings, Allowed: append([]string{}, v.Allowed...), Replies: []VoiceReply{}}
	for _, n := range path {
		if n.Deleted || n.Role != storage.User && n.Role != storage.Assistant {
			continue
		}
		msgs = append(msgs, script.Message{Role: string(n.Role), Content: n.Content})
		if len(n.Rejected) > 0 {
			r := VoiceReply{Message: n.ID, Rejected: n.Rejected}
			if n.Usage != nil {
				r.Backtracks, r.RejectedTokens, r.BacktrackMS = n.Usage.Backtracks, n.Usage.RejectedTokens, n.Usage.BacktrackMS
			}
			out.Replies = slices.Insert(out.Replies, 0, r)
		}
	}
	out.Language = languageOf(heardOf(msgs, nil), who.card)
	if v.Length != "" {
		out.Length = v.Length
	}
	if c.Voice.Length != "" {
		out.LengthSource = fromChat
	}
	is := map[string]bool{"backtrack": v.Backtrack, "user": v.User, "role": v.Role, "speaker": v.Speaker, "repeat": v.Repeat,
		"language": v.Language, "lists": v.Items > 0, "ends": v.Ends}
	for _, name := range VoiceWatched() {
		s := VoiceSwitch{Name: name, On: is[name], Source: fromSettings}
		if _, said := c.Voice.Watch[name]; said {
			s.Source = fromChat
		}
		out.Watch = append(out.Watch, s)
	}
	on := setsOn(v, c, out.Language)
	for _, name := range append([]string{config.SetMine, config.SetCard}, phrases.Languages()...) {
		s := VoiceSwitch{Name: name, On: on[name], Source: fromSettings}
		_, said := c.Voice.Sets[name]
		if _, auto := c.Voice.Sets[config.SetAuto]; said || auto && name == out.Language {
			s.Source = fromChat
		}
		set, faults := voice.Compile(setRules(name, v.Phrases, who.actor.Phrases), nil)
		for _, f := range faults {
			s.Faults = append(s.Faults, f.Rule.Text+": "+f.Err.Error())
		}
		s.Rules = set.Len()
		out.Sets = append(out.Sets, s)
	}
	return out, nil
}

// VoiceSettings are the settings of how replies are to sound.
func (svc *Service) VoiceSettings() config.Voice { return svc.core.Settings().Voice }

// setRules are the phrases of one list.
func setRules(name string, mine, card []string) (rules []voice.Rule) {
	list := mine
	switch name {
	case config.SetMine:
	case config.SetCard:
		list = card
	default:
		return voice.Listed(name, phrases.Bundled(name))
	}
	for _, text := range list {
		rules = append(rules, voice.Rule{Text: text, Set: name})
	}
	return rules
}

// VoiceSets are the names of the lists of phrases that a chat can switch.
func VoiceSets() []string {
	return append([]string{config.SetAuto, config.SetMine, config.SetCard}, phrases.Languages()...)
}

// VoicePhrases are the phrases of a bundled list, or of that by which a model leaves its role.
func VoicePhrases(set string) (list []string, err error) {
	rules := voice.Listed(set, phrases.Bundled(set))
	if set == voice.SetRole {
		rules = voice.Roles("")
	}
	if len(rules) == 0 {
		return nil, failure.Fail("voice", failure.Refuse("there is no list %q; there are %s", set, strings.Join(append(phrases.Languages(), voice.SetRole), ", ")))
	}
	for _, r := range rules {
		list = append(list, r.Text)
	}
	return list, nil
}

// SetVoice says for one chat whether a list is looked for, whether something is watched for,
// or how long replies are to be: name is one of VoiceSets, of VoiceWatched, or "length". The
// value "default" leaves it to the settings again.
func (svc *Service) SetVoice(chat storage.ChatID, name, value string) error {
	name, value = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(value))
	isSet, isWatch := slices.Contains(VoiceSets(), name), slices.Contains(VoiceWatched(), name)
	on, off := value == "on" || value == "true", value == "off" || value == "false"
	lengths := append([]string{lengthAny}, config.Lengths()...)
	switch {
	case name == "length" && value != defaultWord && !slices.Contains(lengths, value):
		return failure.Fail("voice", failure.Refuse("length is one of %s or %s, not %q", strings.Join(lengths, ", "), defaultWord, value))
	case name != "length" && !isSet && !isWatch:
		return failure.Fail("voice", failure.Refuse("there is no %q; there are %s and length", name, strings.Join(append(VoiceWatched(), VoiceSets()...), ", ")))
	case name != "length" && !on && !off && value != defaultWord:
		return failure.Fail("voice", failure.Refuse("%s is on, off or %s, not %q", name, defaultWord, value))
	}
	return svc.chats.Change(chat, func(c *storage.Chat) {
		switch {
		case name == "length" && value == defaultWord:
			c.Voice.Length = ""
		case name == "length":
			c.Voice.Length = value
		case isSet:
			c.Voice.Sets = switched(c.Voice.Sets, name, on, on || off)
		default:
			c.Voice.Watch = switched(c.Voice.Watch, name, on, on || off)
		}
	})
}

const defaultWord = "default"

// switched is a copy of a map with one value said or, where it is not said, taken out.
func switched(m map[string]bool, name string, on, said bool) map[string]bool {
	out := map[string]bool{}
	for k, v := range m {
		out[k] = v
	}
	if delete(out, name); said {
		out[name] = on
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
