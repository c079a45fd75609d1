package tui

import "github.com/ghostlight-theatre/ghostlight/tui/play"

// CheckQuickReplies returns the errors in quick replies, given the keys that the user has changed,
// by name of the action.
func CheckQuickReplies(list []play.QuickReply, changes map[string][]string) []play.QuickFault {
	m, _ := Keys(changes) // its errors are reported elsewhere
	return play.CheckQuickReplies(list, m)
}
