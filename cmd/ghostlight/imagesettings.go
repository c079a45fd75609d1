package main

import (
	"ghostlight/engine/config"
)

// imageSettings are about pictures that are asked for in the talk.
type imageSettings struct {
	Requests *bool `toml:"requests" json:"requests"`
	Confirm  *bool `toml:"confirm" json:"confirm"`
}

// effective is what the section comes to with the defaults.
func (s imageSettings) effective() imageSettings {
	return imageSettings{Requests: new(!isOff(s.Requests)), Confirm: new(!isOff(s.Confirm))}
}

func (s imageSettings) config() config.Images {
	return config.Images{Off: isOff(s.Requests), Unasked: isOff(s.Confirm)}
}
