import { startEarly } from '../live/early-start.ts'

/** Matches the paths of conversations. */
const CONVERSATION = /^\/(?:channels|dm)\/[\d,]+\/?$/

// This script is small and comes before the other scripts, so that the server prepares its response while they load.
startEarly()

// The router loads this page too, but only after all other scripts have run. The router also reports failures.
if (CONVERSATION.test(location.pathname)) import('../conversation/channel.tsx').catch(() => {})
