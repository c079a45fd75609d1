package script

import "github.com/ghostlight-theatre/ghostlight/prompts"

// Env returns what macros stand for in the stable part of a snapshot's prompt. Its
// variables are its own.
func Env(s *Snapshot) prompts.Env { return newCompiler(s).env }
