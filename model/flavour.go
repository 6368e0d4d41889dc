package model

// Flavour is whose headers and bodies a provider speaks; "" is openai.
type Flavour string

// The flavours.
const (
	OpenAIFlavour    Flavour = "openai"
	AzureFlavour     Flavour = "azure"
	AnthropicFlavour Flavour = "anthropic"
	GroqFlavour      Flavour = "groq"
	GeminiFlavour    Flavour = "gemini"
	MistralFlavour   Flavour = "mistral"
	DeepSeekFlavour  Flavour = "deepseek"
)

// Words lists the flavours a scenario may name.
func (Flavour) Words() []string {
	return words(OpenAIFlavour, AzureFlavour, AnthropicFlavour, GroqFlavour, GeminiFlavour, MistralFlavour, DeepSeekFlavour)
}

// RequestID names the header that numbers a request; "" where there is none.
func (f Flavour) RequestID() string {
	switch f {
	case OpenAIFlavour, "":
		return "x-request-id"
	case AzureFlavour:
		return "apim-request-id"
	case AnthropicFlavour:
		return "request-id"
	}
	return ""
}
