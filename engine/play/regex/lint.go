package regex

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Check returns why a script does nothing, "" if it may have an effect.
func Check(s storage.RegexScript) string {
	switch {
	case s.Find == "":
		return "no pattern: no effect"
	case len(s.Places) == 0:
		return "no target texts: no effect"
	case s.MinDepth != nil && s.MaxDepth != nil && *s.MaxDepth >= 0 && *s.MinDepth > *s.MaxDepth:
		return fmt.Sprintf("no message is between min depth %d and max depth %d: no effect", *s.MinDepth, *s.MaxDepth)
	}
	if s.Macros == storage.RegexAsWritten {
		if _, fault := compile(s.Find, 0); fault != "" {
			return fault
		}
	}
	return ""
}

// Unstable returns why a script makes prompts change by themselves, so that the server reads them
// again from there on; "" if it does not.
func Unstable(s storage.RegexScript) string {
	sent := s.PromptOnly || s.Neither()
	said := s.Acts(storage.RegexUser) || s.Acts(storage.RegexReply)
	if !sent || !said && !s.Acts(storage.RegexLore) {
		return ""
	}
	for _, text := range append([]string{s.Find, s.Replace}, s.Trim...) {
		if strings.EqualFold(text, "") || s.Macros == storage.RegexAsWritten && text == s.Find {
			continue
		}
		if names := prompts.Volatile(text); len(names) > 0 {
			return "{{" + names[0] + "}} changes from turn to turn, so the changed text is processed again each time"
		}
	}
	if !said {
		return ""
	}
	switch {
	case s.MaxDepth != nil && *s.MaxDepth >= 0:
		return fmt.Sprintf("its max depth restores messages as they age, so the last %d messages are processed again "+
			"every turn", *s.MaxDepth+2)
	case s.MinDepth != nil && *s.MinDepth > 0:
		return fmt.Sprintf("its min depth changes cached messages, so the last %d messages are processed again every "+
			"turn", *s.MinDepth+1)
	}
	return ""
}
