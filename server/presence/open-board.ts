import type { BoardOptions, PresenceBoard } from './board.ts'
import { openSharedBoard } from './shared-board.ts'
import { openSingleNodeBoard } from './single-node-board.ts'

export function openPresenceBoard(options: BoardOptions): PresenceBoard {
  return options.storage.isShared ? openSharedBoard(options) : openSingleNodeBoard(options)
}
