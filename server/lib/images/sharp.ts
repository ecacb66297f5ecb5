import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export type Sharp = typeof import('sharp').default

/** Only formats that browsers display are decoded, because each further format adds a parser for untrusted files. */
const DECODERS = ['VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadPng', 'VipsForeignLoadWebp']

/** True if the image library is installed, determined without loading it. */
const isInstalled: boolean = createRequire(import.meta.url)
  .resolve.paths('sharp')!
  .some((folder) => existsSync(join(folder, 'sharp')) && hasBinaries(join(folder, '@img')))

function hasBinaries(folder: string): boolean {
  const isForUs = (name: string) => name.startsWith(`sharp-${process.platform}`) && name.endsWith(`-${process.arch}`)
  return existsSync(folder) && readdirSync(folder).some(isForUs)
}

/**
 * Returns whether the server can measure and resize images. Otherwise, it shows images unchanged and without previews.
 */
export const canResize = ({ IMAGE_RESIZING }: { IMAGE_RESIZING: boolean }): boolean => IMAGE_RESIZING && isInstalled

let loaded: Promise<Sharp> | undefined

/** Returns the library. It takes 30 MB, so it is loaded for the first image. Rejects if it is not installed. */
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
