# Tests the functions, and reports in TAP. Run it from the folder above: sh tests/run.sh
. ./functions.sh || exit 127

number=0
failed=0

# Calls a function, and compares what it prints: test_that 'area 3 4' 12
test_that() {
  number=$((number + 1))
  got=$(eval "$1" 2>&1)
  if [ "$got" = "$2" ]; then
    echo "ok $number - $1"
  else
    failed=1
    printf 'not ok %s - %s\n  ---\n  message: |\n    expected: %s\n    got: %s\n  ...\n' "$number" "$1" "$2" "$got"
  fi
}

test_that 'greet Ada' 'Hello, Ada!'
test_that 'greet Bo' 'Hello, Bo!'
test_that 'area 3 4' 12
test_that 'area 2 5' 10
test_that 'farewell Ada' 'See you soon, Ada.'
test_that 'half 10' 5

echo "1..$number"
exit $failed
