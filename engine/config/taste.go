package config

// Taste configures how the program learns the user's taste. Its zero value means the defaults.
type Taste struct {
	Off  bool // learn nothing by itself
	Mute bool // leave what was learnt out of all plans
}
