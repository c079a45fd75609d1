package rehearsal

// newComfy is the ComfyUI half of a house: flat out when the other half is, at
// a pace that can be watched otherwise. It must be closed.
func newComfy(opts Options) *Comfy {
	o := ComfyOptions{StepDelay: -1}
	if opts.TokenDelay > 0 {
		o.StepDelay = DefaultStepDelay
	}
	return NewComfy(o)
}
