// Package policies decides what a client does next: whether to retry, when, and
// whether it may send at all.
//
// Everything here is a pure value. Time is passed in (`now`, nanoseconds since the
// start of the run) and so is every random number, so the same value decides in
// virtual time, over real sockets and in a production client. The attempt loop is
// [Client.Step]: it is told what happened and answers what to do. A [Backoff] says
// how long to wait, a [Triage] which answers are worth another attempt, a [Hint]
// what the server asked for, and a [Gate] who may send now.
//
// Config structs are the scenario language: a field's yaml tag is its key. Their
// zero value is not usable as it stands; SetDefaults fills what the language leaves out.
package policies
