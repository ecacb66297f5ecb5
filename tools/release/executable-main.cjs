// The script of the single executable. The program is unpacked once, into a folder that only this account can write,
// because Node loads modules, threads and machine code from files. Each start compares all files with their hashes.
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { getAsset, getRawAsset } = require('node:sea')
const { zstdDecompressSync } = require('node:zlib')

/** The files of the program in the order of the archive, and the name of their folder. */
const { name, files } = JSON.parse(getAsset('manifest.json', 'utf8'))
const { env } = process
const uid = process.getuid()

/** Returns folders for the program, best first. */
function candidates() {
  const named = [env.XDG_CACHE_HOME, env.HOME && path.join(env.HOME, '.cache'), env.CACHE_DIRECTORY]
  const caches = named
    .filter((folder) => folder && path.isAbsolute(folder))
    .map((folder) => path.join(folder, 'parley'))
  return [...caches, path.join(os.tmpdir(), `parley-${uid}`)]
}

/** Creates the folder if it is missing. Throws if other accounts could change what is in it. */
function openFolder(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stat = fs.lstatSync(folder)
  if (!stat.isDirectory() || (stat.uid !== uid && stat.uid !== 0)) throw new Error('it belongs to another account')
  if ((stat.mode & 0o022) !== 0) throw new Error('other accounts may write into it')
}

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

function isComplete(folder) {
  try {
    return files.every(([file, size, hash]) => {
      const bytes = fs.readFileSync(path.join(folder, file))
      return bytes.length === size && hashOf(bytes) === hash
    })
  } catch {
    return false
  }
}

/** Writes the program beside its folder, and moves it there. Another process may do the same. */
function unpack(folder) {
  const archive = zstdDecompressSync(Buffer.from(getRawAsset('files')))
  const unfinished = fs.mkdtempSync(`${folder}.`)
  try {
    let at = 0
    for (const [file, size] of files) {
      const target = path.join(unfinished, file)
      fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
      fs.writeFileSync(target, archive.subarray(at, at + size), { mode: 0o600 })
      at += size
    }
    try {
      fs.renameSync(unfinished, folder)
    } catch (error) {
      // Another process has just finished it, or it is damaged.
      if (isComplete(folder)) return
      if (!fs.existsSync(folder)) throw error
      fs.rmSync(folder, { recursive: true, force: true })
      fs.renameSync(unfinished, folder)
    }
  } finally {
    fs.rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Returns the folder with the complete program. Ends the process if there is no place for it. */
function prepare() {
  const reasons = []
  for (const folder of candidates()) {
    try {
      openFolder(folder)
      const program = path.join(folder, name)
      if (!isComplete(program)) unpack(program)
      return program
    } catch (error) {
      reasons.push(`  ${folder}: ${error.message}`)
    }
  }
  const size = Math.ceil(files.reduce((total, [, bytes]) => total + bytes, 0) / 1e6)
  process.stderr.write(
    `parley: found no folder in which to unpack the program (${size} MB):\n${reasons.join('\n')}\n` +
      'Set XDG_CACHE_HOME to a folder that this account may write.\n',
  )
  process.exit(1)
}

/** Returns whether the system refuses to load machine code from files in this folder. */
function forbidsCode(folder) {
  try {
    const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').trim().split('\n')
    const [, options] = mounts
      .map((line) => line.split(' '))
      .map(([, point, , given]) => [point.replaceAll('\\040', ' '), given])
      .filter(([point]) => folder === point || folder.startsWith(point === '/' ? '/' : `${point}/`))
      .reduce((longest, found) => (found[0].length >= longest[0].length ? found : longest), ['', ''])
    return options.split(',').includes('noexec')
  } catch {
    return false
  }
}

const [word] = process.argv.slice(2)
const isServer = word === undefined || word === 'start'
// The C library reads this at the start of a process. Two heaps rather than one per thread save memory in a server.
if (isServer && env.MALLOC_ARENA_MAX === undefined)
  process.execve(process.execPath, [process.argv0, ...process.argv.slice(2)], { ...env, MALLOC_ARENA_MAX: '2' })
const program = prepare()
env.PARLEY_COMMAND ??= /^[\w./-]+$/.test(process.argv0) ? process.argv0 : `'${process.argv0}'`
if (env.IMAGE_RESIZING === undefined && forbidsCode(program)) {
  env.IMAGE_RESIZING = 'false'
  if (isServer)
    process.stderr.write(
      `parley: ${program} is mounted with noexec, so images are not resized. Set XDG_CACHE_HOME to another folder.\n`,
    )
}
createRequire(path.join(program, 'dist/'))('./executable.cjs')
