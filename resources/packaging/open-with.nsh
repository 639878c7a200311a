; Puts Tonearm under "Open with" of audio files and playlists without taking them from the program that opens them now:
; an entry below Applications with the types it takes is all that Windows asks for.
!define OPEN_WITH_KEY "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"

!macro OPEN_WITH EXT
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}\SupportedTypes" ".${EXT}" ""
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}" "FriendlyAppName" "${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "${OPEN_WITH_KEY}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro OPEN_WITH "m3u8"
  !insertmacro OPEN_WITH "m3u"
  !insertmacro OPEN_WITH "mp3"
  !insertmacro OPEN_WITH "flac"
  !insertmacro OPEN_WITH "ogg"
  !insertmacro OPEN_WITH "oga"
  !insertmacro OPEN_WITH "opus"
  !insertmacro OPEN_WITH "m4a"
  !insertmacro OPEN_WITH "aac"
  !insertmacro OPEN_WITH "wav"
  !insertmacro OPEN_WITH "aif"
  !insertmacro OPEN_WITH "aiff"
!macroend

!macro customUnInstall
  DeleteRegKey SHELL_CONTEXT "${OPEN_WITH_KEY}"
!macroend
