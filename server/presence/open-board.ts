import type { BoardOptions, PresenceBoard } from './board.ts'
import { openOwnBoard } from './own-board.ts'
import { openSharedBoard } from './shared-board.ts'

export function openPresenceBoard(options: BoardOptions): PresenceBoard {
  return options.storage.isShared ? openSharedBoard(options) : openOwnBoard(options)
}
