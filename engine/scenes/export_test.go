package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Exported for the tests of this package.
const OpDetectAll = opDetectAll
const OpRecallTest = opRecallTest
const OpInterim = opInterim
const OpJoin = opJoin
const OpMessage = opMessage
const OpRecap = opRecap
const OpRunning = opRunning

type RecapResult = recapResult

var Check = setChecked
var PathToLook = uncheckedPath
var ReusedWords = reusedWords

func InterimsOf(tx *storage.Tx, chat storage.ChatID) (out []storage.Recap) {
	for _, i := range interimsOf(tx, chat) {
		out = append(out, i.Recap)
	}
	return out
}

// Look returns what a recap decides about a scene's messages before it asks: whether they fit one
// request, and the key of the request.
func Look(j models.Job, in scene.Input, inputs string) (fits bool, key string) {
	t, fits := fitRequest(prompts.BuiltIn(), j, recapInput{in: in, inputs: inputs})
	return fits, t.requestKey(prompts.BuiltIn(), j)
}
