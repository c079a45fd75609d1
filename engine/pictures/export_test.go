package pictures

import (
	"maps"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Exported for the tests of this package.
const GonePause = unloadPoll
const MostCameras = maxCameras
const PartPrefix = core.PartPrefix
const PromptKept = promptKept
const PhasePaint = phasePaint
const PhaseUnload = phaseUnload
const ThumbnailSide = thumbnailSide

// Painting returns how many pictures are being painted, and where.
func Painting(svc *Service) (int, map[*comfy.Client]int) {
	svc.gpu.mu.Lock()
	defer svc.gpu.mu.Unlock()
	return len(svc.gpu.painting), maps.Clone(svc.gpu.perServer)
}

// WorkflowName returns the workflow that a character's picture of a kind is painted with.
func WorkflowName(who storage.Imagery, kind string) string {
	return (&painting{who: who, C: storage.Capture{Kind: kind}}).workflowName()
}

// Expected returns how long the painting of a capture will take.
func Expected(svc *Service, c storage.Capture) (d time.Duration) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error { d = svc.expected(tx, timings(tx), c); return nil }) // 0, then
	return d
}

var AsItStands = unchangedEdit
var Busy = isBusy
var Emphasised = emphasize
var EncodePNG = encodePNG
var KeepPicture = (*Service).storePicture
var LearnContinuity = (*Continuity).learn
var NewJob = newJob
var ParamsOf = paramsOf
var RunCaptureSend = (*Service).runCaptureSend
var SameTry = isSameJob
var SendCapture = (*Service).sendCapture
var Settle = (*Service).reconcile
var Settled = withOperation
var VariantOf = (*Service).variantOf
var Workflow = (*Workflows).find

// StandingAt returns the facts that a prompt at a message is told.
func StandingAt(cont *Continuity) func(*storage.Tx, storage.Chat, storage.NodeID) []storage.Fact {
	return func(tx *storage.Tx, c storage.Chat, at storage.NodeID) []storage.Fact {
		list, _ := cont.factsAt(tx, c, at)
		return capture.PromptFacts(list)
	}
}
