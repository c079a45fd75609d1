package scenes

import "ghostlight/storage"

// What the tests of this room look at from within.
const OpDetectAll = opDetectAll
const OpExam = opExam
const OpInterim = opInterim
const OpJoin = opJoin
const OpMessage = opMessage
const OpRecap = opRecap
const OpRunning = opRunning

type RecapResult = recapResult

var Check = check
var PathToLook = pathToLook
var ReusedWords = reusedWords

func InterimsOf(tx *storage.Tx, chat storage.ChatID) (out []storage.Recap) {
	for _, i := range interimsOf(tx, chat) {
		out = append(out, i.Recap)
	}
	return out
}
