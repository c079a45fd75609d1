package tui

import "github.com/ghostlight-theatre/ghostlight/tui/play"

// CheckQuickReplies finds what cannot be used in quick replies, beside the keys
// that the user has changed, by name of the action.
func CheckQuickReplies(list []play.QuickReply, changes map[string][]string) []play.QuickFault {
	m, _ := Keys(changes) // its faults are told elsewhere
	return play.CheckQuickReplies(list, m)
}
