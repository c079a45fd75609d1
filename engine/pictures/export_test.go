package pictures

// What the tests of this room look at from within.
const GonePause = gonePause
const MostCameras = mostCameras
const OpIntent = opIntent
const PartPrefix = partPrefix
const PromptKept = promptKept
const StagePaint = stagePaint
const StageUnload = stageUnload
const StageVerify = stageVerify
const ThumbnailSide = thumbnailSide

func RendersOf(svc *Service) *renderState { return &svc.renders }

type Painting = painting
type Slot = slot

var AsItStands = asItStands
var Busy = busy
var ChooseServer = (*Service).chooseServer
var Emphasised = emphasised
var EncodePNG = encodePNG
var Expected = (*Service).expected
var KeepPicture = (*Service).keepPicture
var LearnContinuity = (*Service).learnContinuity
var Lingering = lingering
var NewJob = newJob
var Overtaken = overtaken
var ParamsOf = paramsOf
var RunCaptureSend = (*Service).runCaptureSend
var SameTry = sameTry
var SendCapture = (*Service).sendCapture
var SettleCapture = (*Service).settleCapture
var SettleCaptures = (*Service).settleCaptures
var Settled = settled
var VariantOf = (*Service).variantOf
var Workflow = (*Service).workflow
