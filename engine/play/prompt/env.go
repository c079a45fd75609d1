package prompt

import "github.com/ghostlight-theatre/ghostlight/prompts"

// Env returns the macro values for the stable part of a snapshot's prompt. It has its own
// variables.
func Env(s *Snapshot) prompts.Env { return newCompiler(s).env }
