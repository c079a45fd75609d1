package config

// Taste is how the program learns. Its zero value means the defaults.
type Taste struct {
	Off  bool // learn nothing by itself
	Mute bool // tell no plan what was learnt
}
