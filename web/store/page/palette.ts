import { cell } from '../cell.ts'

/** Whether the list of all commands stands over the page. */
export const palette = cell(false)
