import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';
import { isRecord } from '../../lib/platform/error-code.ts';
import { type BinaryRecipe, temporalSdkVersion } from './binary-recipes.ts';
import { mongodbArchivePath, thisMachine } from './mongodb-archive.ts';
import { runProgram } from './run-program.ts';

const connectTimeoutMs = 5000;
const headersTimeoutMs = 15_000;
const bodyStallTimeoutMs = 30_000;
const archiveTimeoutMs = 10 * 60 * 1000;
const unpackTimeoutMs = 2 * 60 * 1000;

export interface DownloadSources {
  /** Responds to `/{artifact}/{version}` with the address of the archive. */
  readonly temporalUrl: string;
  readonly mongodbUrl: string;
  readonly pip: readonly [string, ...string[]];
}

export const officialSources: DownloadSources = {
  temporalUrl: 'https://temporal.download',
  mongodbUrl: 'https://fastdl.mongodb.org',
  pip: ['python3', '-m', 'pip'],
};

interface Archive {
  readonly url: string;
  readonly executable: string;
  readonly stripFolders: number;
}

/** Unpacks a server's archive below `folder`. Returns the path of the executable. Throws if there is none. */
export async function downloadOfficial(
  recipe: BinaryRecipe,
  folder: string,
  sources: DownloadSources,
): Promise<string> {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyStallTimeoutMs,
  });
  try {
    const archive =
      recipe.name === 'mongod'
        ? mongodbArchive(recipe.officialVersion, sources)
        : await temporalArchive(recipe, sources, dispatcher);
    const response = await get(archive.url, dispatcher, archiveTimeoutMs);
    if (!response.body) throw new Error(`${archive.url} answered without a body`);
    const file = join(folder, basename(new URL(archive.url).pathname));
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file));
    return await unpack(file, archive);
  } finally {
    await dispatcher.destroy();
  }
}

async function unpack(file: string, { executable, stripFolders }: Archive): Promise<string> {
  const folder = `${file}.unpacked`;
  await mkdir(folder);
  const args = ['-xzf', file, '-C', folder, `--strip-components=${stripFolders}`];
  await runProgram('tar', args, { timeoutMs: unpackTimeoutMs });
  return join(folder, executable);
}

function mongodbArchive(version: string, { mongodbUrl }: DownloadSources): Archive {
  const path = mongodbArchivePath(version, thisMachine());
  return { url: new URL(path, mongodbUrl).href, executable: 'bin/mongod', stripFolders: 1 };
}

async function temporalArchive(
  { name }: BinaryRecipe,
  { temporalUrl }: DownloadSources,
  dispatcher: EnvHttpProxyAgent,
): Promise<Archive> {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
    'sdk-name': 'sdk-typescript',
    'sdk-version': temporalSdkVersion,
  });
  const artifact = name === 'temporal' ? 'cli' : name;
  const url = `${temporalUrl}/${artifact}/default?${query.toString()}`;
  const answer: unknown = await (await get(url, dispatcher, headersTimeoutMs)).json();
  if (!isArchiveAnswer(answer)) throw new Error(`${url} answered without an archive`);
  return { url: answer.archiveUrl, executable: answer.fileToExtract, stripFolders: 0 };
}

function isArchiveAnswer(answer: unknown): answer is { archiveUrl: string; fileToExtract: string } {
  if (!isRecord(answer)) return false;
  return typeof answer['archiveUrl'] === 'string' && typeof answer['fileToExtract'] === 'string';
}

async function get(
  url: string,
  dispatcher: EnvHttpProxyAgent,
  timeoutMs: number,
): Promise<Response> {
  const response = await fetch(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}
