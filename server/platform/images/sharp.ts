import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Settings } from '../../config.ts'

export type Sharp = typeof import('sharp').default

/** Only what browsers show as pictures is ever decoded: each further format is a further parser of what strangers sent. */
const DECODERS = ['VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadPng', 'VipsForeignLoadWebp']

/** Whether the library for pictures is there, told without loading it. */
const isInstalled: boolean = createRequire(import.meta.url)
  .resolve.paths('sharp')!
  .some((folder) => existsSync(join(folder, 'sharp')) && hasBinaries(join(folder, '@img')))

function hasBinaries(folder: string): boolean {
  const isForUs = (name: string) => name.startsWith(`sharp-${process.platform}`) && name.endsWith(`-${process.arch}`)
  return existsSync(folder) && readdirSync(folder).some(isForUs)
}

/** Whether pictures can be measured and resized; if not, they are shown as they came, and not previewed. */
export const canResize = ({ IMAGE_RESIZING }: Pick<Settings, 'IMAGE_RESIZING'>): boolean =>
  IMAGE_RESIZING && isInstalled

let loaded: Promise<Sharp> | undefined

/** The library, loaded when the first picture needs it: it takes 30 MB. Rejects where it is not there. */
export function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: DECODERS })
    return sharp
  })
  return loaded
}
