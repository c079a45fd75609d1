package storage

import (
	"encoding/json"
	"testing"
)

func TestStoryTime_ReadsEarlierBuilds(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		want   StoryTime
	}{
		"a date":          {`{"month":3,"day":3,"weekday":4,"part":"evening"}`, StoryTime{Day: "Thursday 3 March", Time: "evening"}},
		"a count":         {`{"count":4,"minute":1181,"passed":3}`, StoryTime{Day: "day 4", Time: "19:40", Passed: 3}},
		"a year":          {`{"year":1890,"month":5}`, StoryTime{Day: "May 1890"}},
		"a time of day":   {`{"part":"dusk"}`, StoryTime{Time: "dusk"}},
		"out of range":    {`{"month":13,"weekday":9,"day":3}`, StoryTime{}},
		"only days":       {`{"passed":7}`, StoryTime{Passed: 7}},
		"words":           {`{"day":"the morning after the fair","time":"noon"}`, StoryTime{Day: "the morning after the fair", Time: "noon"}},
		"words, no day":   {`{"time":"noon"}`, StoryTime{Time: "noon"}},
		"nothing is said": {`{}`, StoryTime{}},
	} {
		var got StoryTime
		if err := json.Unmarshal([]byte(c.record), &got); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		data, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var again StoryTime
		if err := json.Unmarshal(data, &again); err != nil || again != c.want {
			t.Errorf("%s, written again: %s gives %+v, %v", name, data, again, err)
		}
	}
	var c Clock
	old := `{"node":"n","time":{"weekday":5,"part":"dusk"},"by":"user","said":"Friday, dusk","was":{"node":"n","time":{"count":2},"by":"text","said":"day 2"}}`
	if err := json.Unmarshal([]byte(old), &c); err != nil || c.Time.Day != "Friday" || c.Was == nil || c.Was.Time.Day != "day 2" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := json.Unmarshal([]byte(`{"node":"n","time":{"day":[1]}}`), &c); err != nil {
		t.Errorf("a day that is neither words nor a number: %v", err)
	}
}
