// Package live plays a scenario over real sockets: the provider as an HTTP server
// ([Server]), the clients as HTTP clients ([Fleet]), and [Run], which joins them. A server
// whose clients are anybody's keeps the books itself ([NewServedBooks], [Server.Serve]).
//
// It decides nothing. model.Provider says who is served and when each token leaves,
// policies.Client.Step what a client does next, a policies.Gate who may send, and the
// draws are those of virtual time; all write in one model.Tally ([Books]). What is
// here is HTTP, server-sent events, and for each machine one mutex, one timer and a
// channel per waiter. Its clock is a benbjohnson/clock: clock.New() is the wall, and in
// a testing/synctest bubble over [Pipes] the same code runs in no time, exactly
// but for the order of what happens at one instant: virtual time takes an answer before a
// time-out and who frees a seat before who wants one, sockets whoever comes first.
package live
