package play

import (
	"sync"

	"ghostlight/storage"
)

// What the tests of this room look at from within.
const WarmLeast = warmLeast

func EndedOf(svc *Service) *map[storage.ChatID]*liveTurn { return &svc.lastTurns }
func LastOf(svc *Service) *lastPrompt                    { return &svc.last }
func MuOf(svc *Service) *sync.Mutex                      { return &svc.mu }
func WarmingOf(svc *Service) *warmer                     { return &svc.warming }

type LiveTurn = liveTurn
type Request = request

var Abandon = (*Service).abandon
var GatherContext = (*Service).gatherContext
var CommitUser = (*Service).commitUser
var NoteLive = (*Service).noteLive
var Reserve = (*Service).reserve
var Snapshot = (*Service).snapshot
var StopWarm = (*Service).stopWarm
var WarmUp = (*Service).warmUp
var ChatRequest = (*Service).chatRequest
