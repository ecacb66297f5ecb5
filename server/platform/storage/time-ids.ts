/** No organization has more events a second than this, on average from one start to the next. */
const IDS_PER_SECOND = 1000

/** 2020-01-01, before which no server ran. */
const BEGINNING = 1_577_836_800

/** The least id that a start at this time, in UNIX seconds, may give out: all ids of former starts are below it. */
export const minIdAt = (now: number): number => Math.floor((now - BEGINNING) * IDS_PER_SECOND)
