package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Exported for the tests of this package.
const OpDetectAll = opDetectAll
const OpExam = opExam
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

// Look is what a recap does with a scene's messages before it asks about them: whether
// they fit one request, and by what that is known.
func Look(j models.Job, in scene.Input, inputs string) (fits bool, key string) {
	t, fits := fitRequest(prompts.BuiltIn(), j, recapInput{in: in, inputs: inputs})
	return fits, t.requestKey(prompts.BuiltIn(), j)
}
