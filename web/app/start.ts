import { startEarly } from '../store/live/early-start.ts'

// This script is small and comes before the others, so that the server prepares its response while they load.
startEarly()
