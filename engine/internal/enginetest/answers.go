package enginetest

import (
	"fmt"
	"maps"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// Object is a JSON object of an answer.
type Object = map[string]any

// Answering has the model answer some jobs in another way than a harness's model usually does: each
// request of a job with the next of its answers, then with the last one.
func Answering(jobs map[demo.Job][]any) func(*Setup) {
	return func(o *Setup) {
		all := usual()
		maps.Copy(all, jobs)
		o.Servers.Scripted = demo.InOrder(all)
	}
}

// usual returns the answers of a model that follows its instructions, as far as tests need more
// than the smallest ones.
func usual() map[demo.Job][]any {
	jobs := map[demo.Job][]any{
		demo.CaptureJob: {Object{"reasoning": "The two of them at the lamp are what the moment is about.",
			"prompt":          capturePrompt,
			"negative_prompt": "photograph, daylight"}},
	}
	for n := range 60 {
		jobs[demo.SceneJob] = append(jobs[demo.SceneJob], RecapOf(fmt.Sprintf("The Lamp of Winter %d", n+1),
			Fact(fmt.Sprintf("The lamp belonged to Tove's brother since winter %d.", n+1), 1, 2)))
	}
	return jobs
}

// Fact returns a line of a recap that cites messages.
func Fact(text string, messages ...int) Object { return Object{"text": text, "messages": messages} }

// RecapOf returns a scene's recap with these key developments, which also teaches of the lamp.
func RecapOf(name string, developments ...Object) Object {
	return Object{
		"scene_name": name,
		"recap": Object{
			"current_situation": []any{Fact("Tove and Robin stand at the lamp on the stage.", 1)},
			"key_developments":  developments,
		},
		"atmosphere":      "Close and quiet, with the rain outside.",
		"emotional_beats": "Tove is wary at first, then amused.",
		"lorebooks": []any{Object{"name": "Brass Lamp", "type": "item", "keywords": []string{"lamp", "brass lamp"},
			"content": "[item-Brass Lamp: stands on the stage of the Halfmoon, belonged to(Tove's brother)]"}},
	}
}

// capturePrompt has as many words as a prompt for a picture should have.
const capturePrompt = "Tove stands halfway up a wooden ladder beside a tall iron lamp stand on the bare stage of the " +
	"Halfmoon, holding a second bulb in her right hand and looking down with grey, unhurried eyes; copper-brown hair " +
	"is pushed behind her ears and held by a pencil, and she wears a moss-green cardigan with leather elbows over a " +
	"black shirt. Below her Robin stands in a dark blue raincoat, wet hair, a satchel across the shoulder, one hand " +
	"on the rail of the ladder, a cream envelope in the other. A single naked bulb in a wire cage throws warm amber " +
	"light across the boards and leaves the rows of seats behind them in deep umber shadow; dust hangs in the light, " +
	"rain glistens on the coat, and long thin shadows run out over the edge of the stage into the dark."
