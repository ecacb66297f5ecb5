/** The maximum number of events per second in an organization, on average from one start to the next. */
const IDS_PER_SECOND = 1000

/** 2020-01-01, before the first server existed. */
const BEGINNING = 1_577_836_800

/** Returns the smallest id for a start at this time, in UNIX seconds: all ids of former starts are smaller. */
export const minIdAt = (now: number): number => Math.floor((now - BEGINNING) * IDS_PER_SECOND)
