"""What other programs say of audio files: python3 judges.py loudness|tempo|music|likeness, paths on standard input, a
line of JSON for each. What is not installed is left out. Needs ffmpeg; libebur128 (libebur128-1), sonara, librosa."""
import array, ctypes, json, subprocess, sys


def decoded(path, *args):
    command = ['ffmpeg', '-v', 'error', '-i', path, *args, '-f', 'f32le', '-']
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).stdout


def shape(path):
    command = ['ffprobe', '-v', 'error', '-select_streams', 'a:0', '-show_entries', 'stream=sample_rate,channels']
    text = subprocess.run([*command, '-of', 'csv=p=0', path], capture_output=True, text=True).stdout
    return [int(value) for value in text.strip().split(',')]


def loudness(path):
    lib = ctypes.CDLL('libebur128.so.1')
    lib.ebur128_init.restype = ctypes.c_void_p
    lib.ebur128_init.argtypes = [ctypes.c_uint, ctypes.c_ulong, ctypes.c_int]
    lib.ebur128_add_frames_float.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    lib.ebur128_loudness_global.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)]
    lib.ebur128_true_peak.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_double)]
    rate, channels = shape(path)
    data = decoded(path)
    state = lib.ebur128_init(channels, rate, 53)
    lib.ebur128_add_frames_float(state, data, len(data) // 4 // channels)
    value = ctypes.c_double()
    lib.ebur128_loudness_global(state, value)
    lufs, peak = value.value, 0.0
    for channel in range(channels):
        lib.ebur128_true_peak(state, channel, value)
        peak = max(peak, value.value)
    samples = array.array('f', data)
    loud = lambda i: abs(samples[i]) > 0.001
    first = next((i for i in range(len(samples)) if loud(i)), len(samples))
    last = next((i for i in reversed(range(len(samples))) if loud(i)), -1)
    frames = len(samples) // channels
    return {'lufs': lufs, 'peak': peak, 'leading': first // channels, 'trailing': frames - 1 - last // channels}


def mono(path, seconds=None):
    import numpy
    limit = [] if seconds is None else ['-t', str(seconds)]
    return numpy.frombuffer(decoded(path, '-ac', '1', '-ar', '22050', *limit), dtype='<f4').copy()


def tempo(path):
    import librosa
    return {'bpm': float(librosa.feature.tempo(y=mono(path), sr=22050)[0])}


def music(path):
    import sonara
    found = sonara.analyze_signal(mono(path), sr=22050, features=['bpm', 'key'])
    return {'bpm': found['bpm'], 'key': found['key']}


def likeness(path):
    import numpy
    y = mono(path, int(sys.argv[2]))
    result = {}
    try:
        import sonara
        result['sonara'] = [float(v) for v in sonara.analyze_signal(y, sr=22050, features=['embedding'])['embedding']]
    except ImportError:
        pass
    try:
        import librosa
        mfcc = librosa.feature.mfcc(y=y, sr=22050, n_mfcc=20)
        result['librosa'] = [float(v) for v in numpy.concatenate([mfcc.mean(1), mfcc.var(1)])]
    except ImportError:
        pass
    return result


judge = {'loudness': loudness, 'tempo': tempo, 'music': music, 'likeness': likeness}[sys.argv[1]]
for line in sys.stdin:
    print(json.dumps(judge(line.rstrip('\n'))), flush=True)
