package play

import (
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// VoiceSwitch is a check on the replies of a chat, or a list of phrases. Source is where its value
// comes from: FromChat or FromSettings. Rules is the number of phrases in a list, and Faults are
// the entries that cannot be used. Own reports that the list is a file of the user.
type VoiceSwitch struct {
	Name   string   `json:"name"`
	On     bool     `json:"on"`
	Source string   `json:"source"`
	Rules  int      `json:"rules,omitempty"`
	Faults []string `json:"faults,omitempty"`
	Own    bool     `json:"own,omitempty"`
}

// VoiceReply is a reply with rejected text, and the cost of that.
type VoiceReply struct {
	Message        storage.NodeID     `json:"message"`
	Rejected       []storage.Rejected `json:"rejected"`
	Backtracks     int                `json:"backtracks"`
	RejectedTokens int                `json:"rejected_tokens"`
	BacktrackMS    int64              `json:"backtrack_ms"`
}

// VoiceView holds a chat's rules for replies, and what they rejected in its last replies, the
// newest first.
type VoiceView struct {
	Chat         storage.ChatID `json:"chat"`
	Watch        []VoiceSwitch  `json:"watch"`
	Sets         []VoiceSwitch  `json:"sets"`
	Length       string         `json:"length"` // "any" for no rule
	LengthSource string         `json:"length_source"`
	Allowed      []string       `json:"allowed"`
	Replies      []VoiceReply   `json:"replies"`
}

// Sources of a voice value.
const (
	FromChat     = "chat"
	FromSettings = "settings"
	// voiceReplies is about the number of last replies that VoiceView covers.
	voiceReplies = 20
)

// Voice returns a chat's rules for replies.
func (svc *Service) Voice(chat storage.ChatID) (VoiceView, error) {
	c, path, err := svc.chats.Path(chat, 2*voiceReplies)
	if err != nil {
		return VoiceView{}, failure.Wrap("voice", err)
	}
	v := voiceOf(svc.core.Settings().Voice, c)
	m, _ := svc.nextMoment(c, "")
	who := svc.speakersAt(c, m)
	out := VoiceView{Chat: chat, Length: lengthAny, LengthSource: FromSettings,
		Allowed: append([]string{}, v.Allowed...), Replies: []VoiceReply{}}
	for _, n := range path {
		if n.Deleted || n.Role != storage.User && n.Role != storage.Assistant {
			continue
		}
		if len(n.Rejected) > 0 {
			r := VoiceReply{Message: n.ID, Rejected: n.Rejected}
			if n.Usage != nil {
				r.Backtracks, r.RejectedTokens, r.BacktrackMS = n.Usage.Backtracks, n.Usage.RejectedTokens,
					n.Usage.BacktrackMS
			}
			out.Replies = slices.Insert(out.Replies, 0, r)
		}
	}
	if v.Length != "" {
		out.Length = v.Length
	}
	if c.Voice.Length != "" {
		out.LengthSource = FromChat
	}
	is := map[string]bool{"backtrack": v.Backtrack, "user": v.User, "speaker": v.Speaker, "repeat": v.Repeat,
		"language": v.Language, "lists": v.Items > 0, "ends": v.Ends}
	for _, name := range VoiceChecks() {
		s := VoiceSwitch{Name: name, On: is[name], Source: FromSettings}
		if _, said := c.Voice.Watch[name]; said {
			s.Source = FromChat
		}
		out.Watch = append(out.Watch, s)
	}
	out.Sets = svc.setSwitches(v, c, who.actor.Phrases)
	return out, nil
}

// setSwitches returns the lists that a chat can switch, and those that are named somewhere but do
// not exist.
func (svc *Service) setSwitches(v config.Voice, c storage.Chat, card []string) (list []VoiceSwitch) {
	on := activeSets(v, c)
	named := func(name string) VoiceSwitch {
		s := VoiceSwitch{Name: name, On: on[name], Source: FromSettings}
		_, said := c.Voice.Sets[name]
		if _, auto := c.Voice.Sets[config.SetAuto]; said || auto && slices.Contains(phrases.Languages(), name) {
			s.Source = FromChat
		}
		return s
	}
	for _, name := range append([]string{config.SetMine, config.SetCard}, phrases.Languages()...) {
		s := named(name)
		set, faults := voice.Compile(setRules(name, v.Phrases, card), nil)
		for _, f := range faults {
			s.Faults = append(s.Faults, f.Rule.Text+": "+f.Err.Error())
		}
		s.Rules = set.Len()
		list = append(list, s)
	}
	for _, f := range svc.ownSets() {
		s := named(f.name)
		s.Own, s.Rules, s.Faults = true, len(f.rules), f.faults
		list = append(list, s)
	}
	for _, name := range slices.Sorted(maps.Keys(on)) {
		if on[name] && !slices.ContainsFunc(list, func(s VoiceSwitch) bool { return s.Name == name }) {
			s := named(name)
			s.Own, s.Faults = true,
				[]string{"missing file " + phrasesFolder + "/" + name + phrasesEnding + " in the config folder"}
			list = append(list, s)
		}
	}
	return list
}

// VoiceSettings returns the settings of how replies are to sound.
func (svc *Service) VoiceSettings() config.Voice { return svc.core.Settings().Voice }

// setRules returns the phrases of one list.
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

// VoiceSets returns the names of the lists of phrases that a chat can switch, without the user's
// own files.
func VoiceSets() []string {
	return append([]string{config.SetAuto, config.SetMine, config.SetCard}, phrases.Languages()...)
}

// VoicePhrases returns the phrases of a bundled list.
func VoicePhrases(set string) (list []string, err error) {
	rules := voice.Listed(set, phrases.Bundled(set))
	if len(rules) == 0 {
		return nil, failure.Wrap("voice",
			failure.Refusef("unknown list %q; use one of %s", set, strings.Join(phrases.Languages(), ", ")))
	}
	for _, r := range rules {
		list = append(list, r.Text)
	}
	return list, nil
}

// VoiceLengths returns the valid lengths of SetVoice, without VoiceDefault.
func VoiceLengths() []string { return append([]string{lengthAny}, config.Lengths()...) }

// Names that are not lists, and the value that goes back to the settings.
const (
	VoiceLength  = lengthWord
	VoiceDefault = "default"
	lengthWord   = "length"
)

// SetVoice sets the voice values of one chat. A name is a list (one of VoiceSets or a file of the
// user), a check (one of VoiceChecks) or VoiceLength. The value VoiceDefault goes back to the
// settings. If a value is invalid, nothing is set.
func (svc *Service) SetVoice(chat storage.ChatID, values map[string]string) error {
	said := map[string]string{}
	for name, value := range values {
		said[strings.ToLower(strings.TrimSpace(name))] = strings.ToLower(strings.TrimSpace(value))
	}
	sets := VoiceSets()
	for _, f := range svc.ownSets() {
		sets = append(sets, f.name)
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if err := checkVoiceValue(name, said[name], sets); err != nil {
			return failure.Wrap("voice", err)
		}
	}
	return svc.chats.Change(chat, func(c *storage.Chat) {
		for name, value := range said {
			on, is := value == "on" || value == "true", value != VoiceDefault
			switch {
			case name == VoiceLength && !is:
				c.Voice.Length = ""
			case name == VoiceLength:
				c.Voice.Length = value
			case slices.Contains(VoiceChecks(), name):
				c.Voice.Watch = withSwitch(c.Voice.Watch, name, on, is)
			default:
				c.Voice.Sets = withSwitch(c.Voice.Sets, name, on, is)
			}
		}
	})
}

// checkVoiceValue refuses an unknown name or an invalid value. VoiceDefault is accepted for a list
// that no longer exists.
func checkVoiceValue(name, value string, sets []string) error {
	known := slices.Contains(sets, name) || slices.Contains(VoiceChecks(), name)
	switch {
	case name == VoiceLength && value != VoiceDefault && !slices.Contains(VoiceLengths(), value):
		return failure.Refusef("length must be one of %s or %s, not %q", strings.Join(VoiceLengths(), ", "),
			VoiceDefault, value)
	case name == VoiceLength, value == VoiceDefault && setName().MatchString(name):
		return nil
	case !known:
		return failure.Refusef("unknown check %q; use one of %s, or length", name,
			strings.Join(append(VoiceChecks(), sets...), ", "))
	case !slices.Contains([]string{"on", "off", "true", "false"}, value):
		return failure.Refusef("%s must be on, off or %s, not %q", name, VoiceDefault, value)
	}
	return nil
}

// withSwitch returns a copy of m with name set to on, or without name if said is false. An empty
// map becomes nil.
func withSwitch(m map[string]bool, name string, on, said bool) map[string]bool {
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
